//! InfoGAN (Chen et al. 2016), without its unstructured noise: every input of the
//! decoder is a dial.
//!
//! A discriminator tells pictures of the data from the decoder's. A recogniser, which
//! shares the discriminator's features, finds the codes again that a picture was made
//! from. Both players, discriminator and decoder, maximise what it finds: the paper's
//! lower bound of the mutual information between codes and picture.

use std::collections::BTreeMap;

use candle_core::{Result, Tensor, Var};
use rand::Rng;

use crate::data::Rows;
use crate::loss;
use crate::mnist::DIGITS;
use crate::net::Net;
use crate::recipe::networks;
use crate::tensors::{instances, net};
use crate::terms::Terms;

/// Weight of the numbers among the codes; that of the category is 1.
const CONTINUOUS: f64 = 0.3;
/// What the discriminator should say of a real picture: less than 1, lest it run away.
const REAL: f32 = 0.9;
/// Learning rate of discriminator and recogniser as a share of the decoder's.
pub(crate) const DISCRIMINATOR_RATE: f64 = 0.2;
/// Adam's first decay, for both players.
pub(crate) const BETA_1: f64 = 0.5;

/// Discriminator and recogniser.
pub struct Discriminator {
    /// Features that both share.
    pub(crate) trunk: Net,
    /// From features to the logit of being a picture of the data.
    pub(crate) head: Net,
    /// From features to what the codes were.
    pub(crate) recogniser: Net,
}

/// Pictures made from random codes.
pub(crate) struct Fakes {
    pub(crate) digits: Tensor,
    pub(crate) codes: Tensor,
    pub(crate) pictures: Tensor,
}

impl Discriminator {
    /// With random weights, which go into `parameters`.
    ///
    /// # Errors
    /// When candle cannot make a tensor.
    pub(crate) fn new(
        codes: usize,
        parameters: &mut BTreeMap<String, Var>,
        rng: &mut impl Rng,
    ) -> Result<Self> {
        Ok(Self {
            trunk: net(networks::gan_trunk(), parameters, rng)?,
            head: net(networks::gan_head(), parameters, rng)?,
            recogniser: net(networks::gan_recogniser(codes), parameters, rng)?,
        })
    }

    /// How well the codes are found again: cross-entropy of the digit, and half the
    /// squared error of the others.
    fn information(&self, features: &Tensor, fakes: &Fakes) -> Result<(Tensor, Tensor)> {
        let found = self.recogniser.forward(features)?;
        let digits = found.narrow(1, 0, DIGITS)?;
        let codes = found.narrow(1, DIGITS, fakes.codes.dim(1)?)?;
        Ok((
            loss::cross_entropy(&digits, &fakes.digits)?,
            (loss::squared_error(&codes, &fakes.codes)? * 0.5)?,
        ))
    }

    /// How far the discriminator is from saying `label` of pictures with these features.
    fn realness_loss(&self, features: &Tensor, label: f32) -> Result<Tensor> {
        let logits = self.head.forward(features)?;
        let label = Tensor::full(label, logits.shape(), logits.device())?;
        loss::bernoulli(&logits, &label)
    }

    /// What discriminator and recogniser minimise, given the data's rows and fakes.
    pub(crate) fn own_loss(&self, rows: &Rows, fakes: &Fakes) -> Result<(Tensor, Terms)> {
        let features = self.trunk.forward(&fakes.pictures.detach())?;
        let (category, continuous) = self.information(&features, fakes)?;
        let real = self.realness_loss(&self.trunk.forward(&instances(rows)?)?, REAL)?;
        let realness = (real + self.realness_loss(&features, 0.0)?)?;
        let mut terms = Terms::default();
        terms.add("discriminator", &realness)?;
        let total = ((realness + category)? + (continuous * CONTINUOUS)?)?;
        Ok((total, terms))
    }

    /// What the decoder minimises.
    pub(crate) fn decoder_loss(&self, fakes: &Fakes) -> Result<(Tensor, Terms)> {
        let features = self.trunk.forward(&fakes.pictures)?;
        let (category, continuous) = self.information(&features, fakes)?;
        let realness = self.realness_loss(&features, 1.0)?;
        let mut terms = Terms::default();
        terms.add("generator", &realness)?;
        terms.add("category", &category)?;
        terms.add("continuous", &continuous)?;
        let total = ((realness + category)? + (continuous * CONTINUOUS)?)?;
        Ok((total, terms))
    }
}
