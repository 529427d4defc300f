//! A number that knows whether it was written as an integer or as a float, and how each is written.

use std::fmt;

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

/// Exponents from here on are written as such; between them a float is written out.
const EXPONENT_BELOW: i32 = -4;
const EXPONENT_FROM: i32 = 16;

/// Two numbers are equal if they are written alike: `1` is not `1.0`, and `0.0` is not `-0.0`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Form);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Small(i64),
    /// Digits with an optional minus; never within the range of `Small`.
    Big(Box<str>),
    /// The bits of a finite double.
    Float(u64),
}

impl Number {
    /// From the text of a JSON number; `None` if a float is beyond the range of a double. The text
    /// must follow JSON's grammar.
    pub(super) fn from_grammatical(text: &str) -> Option<Self> {
        if text.contains(['.', 'e', 'E']) {
            return text.parse().ok().and_then(Self::from_f64);
        }
        let form = text.parse().map_or_else(|_| Form::Big(text.into()), Form::Small);
        Some(Self(form))
    }

    /// `None` for what JSON cannot say: NaN and the infinities.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(Form::Float(value.to_bits())))
    }

    #[must_use]
    pub const fn is_integer(&self) -> bool {
        !matches!(self.0, Form::Float(_))
    }

    /// Only an integer, and only within 64 bits.
    #[must_use]
    pub const fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small(value) => Some(value),
            _ => None,
        }
    }

    /// The nearest double; infinite for an integer beyond its range.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "the nearest double is what is asked for")]
            Form::Small(value) => *value as f64,
            Form::Big(digits) => digits.parse().unwrap_or(f64::INFINITY),
            Form::Float(bits) => f64::from_bits(*bits),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Form::Small(value))
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        if let Some(value) = number.as_i64() {
            Self::from(value)
        } else if let Some(value) = number.as_u64() {
            Self(Form::Big(value.to_string().into()))
        } else {
            // Without `arbitrary_precision` what is left is a finite double.
            Self(Form::Float(number.as_f64().unwrap_or_default().to_bits()))
        }
    }
}

/// The canonical text (contract §2).
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Small(value) => write!(f, "{value}"),
            Form::Big(digits) => f.write_str(digits),
            Form::Float(bits) => f.write_str(&float_text(f64::from_bits(*bits))),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Small(value) => serializer.serialize_i64(*value),
            Form::Float(bits) => serializer.serialize_f64(f64::from_bits(*bits)),
            Form::Big(digits) => {
                RawValue::from_string(digits.to_string()).map_err(S::Error::custom)?.serialize(serializer)
            }
        }
    }
}

/// The digits are zmij's: the shortest that read back as the same double, and of two equally near ones the
/// even (the standard library takes the upper). Only their layout is ours.
fn float_text(value: f64) -> String {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let written = format!("{whole}{fraction}");
    let digits = written.trim_start_matches('0');
    // The exponent of the first digit that is not zero.
    let first =
        whole.len() as i32 - (written.len() - digits.len()) as i32 - 1 + exponent.parse::<i32>().unwrap_or_default();
    let digits = digits.trim_end_matches('0');
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if digits.is_empty() {
        return format!("{sign}0.0");
    }
    if !(EXPONENT_BELOW..EXPONENT_FROM).contains(&first) {
        let (head, tail) = digits.split_at(1);
        let point = if tail.is_empty() { "" } else { "." };
        let exponent_sign = if first < 0 { '-' } else { '+' };
        return format!("{sign}{head}{point}{tail}e{exponent_sign}{:02}", first.unsigned_abs());
    }
    if first < 0 {
        let zeros = "0".repeat(first.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = first.unsigned_abs() as usize + 1;
    match digits.split_at_checked(whole) {
        Some((whole, fraction)) if !fraction.is_empty() => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}{digits:0<whole$}.0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract §2: floats stay floats, shortest digits, exponent form outside [1e-4, 1e16).
    #[test]
    fn floats_are_written_as_the_contract_says() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (9.999e-5, "9.999e-05"),
            (1e-7, "1e-07"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (-2.5e-8, "-2.5e-08"),
            (123_456.789, "123456.789"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (0.3, "0.3"),
            (0.1 + 0.2, "0.30000000000000004"),
            (100.0, "100.0"),
            (120.5, "120.5"),
            (0.001_02, "0.00102"),
        ] {
            assert_eq!(Number::from_f64(value).map(|n| n.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Number::from_f64(f64::NAN), None);
        assert_eq!(Number::from_f64(f64::NEG_INFINITY), None);
    }

    /// Two shortest forms are equally near: the even digit is taken.
    #[test]
    fn ties_go_to_the_even_digit() {
        for (text, canonical) in [
            ("642482072178753.25", "642482072178753.2"),
            ("85159037860971.625", "85159037860971.62"),
            ("-17953768745544.0625", "-17953768745544.062"),
        ] {
            assert_eq!(Number::from_grammatical(text).map(|n| n.to_string()).as_deref(), Some(canonical));
        }
    }

    #[test]
    fn integers_keep_every_digit() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("-7", "-7"),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9223372036854775808"),
            ("-123456789012345678901234567890", "-123456789012345678901234567890"),
        ] {
            assert_eq!(Number::from_grammatical(text).map(|n| n.to_string()).as_deref(), Some(canonical));
        }
        assert_eq!(Number::from_grammatical("1e400"), None);
        assert_ne!(Number::from_grammatical("1"), Number::from_grammatical("1.0"));
    }
}
