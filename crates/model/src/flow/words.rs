//! One way to write an enum whose variants are words of a published contract.

/// An enum without data, its words in order, and both directions between them.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every word, in the contract's order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// `None` for any other text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<$name> for $crate::flow::json::Json {
            fn from(word: $name) -> Self {
                Self::String(word.as_str().to_owned())
            }
        }

        impl $crate::flow::fields::Word for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn read(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    };
}

pub(crate) use words;
