//! Names of variants, as serde's `rename_all = "snake_case"` writes them.

/// Gives an enum what goes with the names of its variants, in snake case.
///
/// - `named!(Colour: Red, DarkBlue);` for variants without fields: `ALL`, `name` and `of_name`.
/// - `named!(Shape::kind: Circle, Square);` for others: the function that gives the name.
///
/// ```
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// pub enum Colour { Red, DarkBlue }
/// json_tree::named!(Colour: Red, DarkBlue);
/// assert_eq!(Colour::DarkBlue.name(), "dark_blue");
/// assert_eq!(Colour::of_name("red"), Some(Colour::Red));
/// ```
#[macro_export]
macro_rules! named {
    ($Name:ident: $($Variant:ident),+ $(,)?) => {
        impl $Name {
            /// All of them, in order.
            pub const ALL: [Self; [$(stringify!($Variant)),+].len()] = [$(Self::$Variant),+];

            /// The name in records and files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $crate::snake!($Variant),)+
                }
            }

            /// The one with this name.
            #[must_use]
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.name() == name)
            }
        }
    };
    ($Name:ident::$function:ident: $($Variant:ident),+ $(,)?) => {
        impl $Name {
            /// The name in records and files.
            #[must_use]
            pub const fn $function(&self) -> &'static str {
                match self {
                    $(Self::$Variant { .. } => $crate::snake!($Variant),)+
                }
            }
        }
    };
}

/// A name in camel case, in snake case.
#[macro_export]
macro_rules! snake {
    ($Name:ident) => {{
        const NAME: &str = stringify!($Name);
        const BYTES: [u8; $crate::snake_len(NAME)] = $crate::snake(NAME);
        const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => NAME,
        };
        TEXT
    }};
}

/// How long a name is in snake case.
#[must_use]
pub const fn snake_len(name: &str) -> usize {
    let name = name.as_bytes();
    let (mut at, mut len) = (1, name.len());
    while at < name.len() {
        len += name[at].is_ascii_uppercase() as usize;
        at += 1;
    }
    len
}

/// A name in snake case, which is `N` long.
#[must_use]
pub const fn snake<const N: usize>(name: &str) -> [u8; N] {
    let name = name.as_bytes();
    let mut snake = [b'_'; N];
    let (mut at, mut to) = (0, 0);
    while at < name.len() {
        to += (at > 0 && name[at].is_ascii_uppercase()) as usize;
        snake[to] = name[at].to_ascii_lowercase();
        (at, to) = (at + 1, to + 1);
    }
    snake
}
