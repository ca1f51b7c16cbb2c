//! Decoders on candle, bundles and the zoo.
