//! Reading the members of an object that came from outside: one method per shape, each saying which member
//! is wrong. A member that is `null` counts as absent.

use std::ops::RangeInclusive;

use super::{
    json::{Json, Object},
    problem::Problem,
};

/// An enum that is read from one of its words.
pub trait Word: Sized {
    const WORDS: &'static [&'static str];
    fn read(text: &str) -> Option<Self>;
}

/// Text without surrounding white space, if 1 to `max` characters of it are left.
#[must_use]
pub fn trimmed(text: &str, max: usize) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && text.chars().count() <= max).then_some(text)
}

/// Explains a value that should be text and is none: YAML has words for true and false that look like text.
#[must_use]
pub const fn unquoted(value: Option<&Json>) -> &'static str {
    match value {
        Some(Json::Bool(true)) => "; it is true, which is how YAML reads a bare yes, on or y: put it in quotes",
        Some(Json::Bool(false)) => "; it is false, which is how YAML reads a bare no, off or n: put it in quotes",
        _ => "",
    }
}

/// The first `max` characters.
#[must_use]
pub fn cut(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// An object and where it stands.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    object: &'a Object,
    path: String,
}

impl<'a> Fields<'a> {
    #[must_use]
    pub fn new(object: &'a Object, path: impl Into<String>) -> Self {
        Self { object, path: path.into() }
    }

    /// # Errors
    /// `value` is not an object.
    pub fn of(value: &'a Json, path: impl Into<String>) -> Result<Self, Problem> {
        let path = path.into();
        match value.as_object() {
            Some(object) => Ok(Self { object, path }),
            None => Err(Problem::new(path, "must be an object")),
        }
    }

    /// The pointer to a member.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        format!("{}/{}", self.path, name.replace('~', "~0").replace('/', "~1"))
    }

    pub fn problem(&self, name: &str, message: impl Into<String>) -> Problem {
        Problem::new(self.path(name), message)
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// # Errors
    /// A member with another name.
    pub fn only(&self, names: &[&str]) -> Result<(), Problem> {
        match self.object.keys().find(|key| !names.contains(&key.as_str())) {
            Some(key) => Err(self.problem(key, "is not known here")),
            None => Ok(()),
        }
    }

    /// What the contract calls exact (§12).
    ///
    /// # Errors
    /// A member is missing, or one has another name.
    pub fn exactly(&self, names: &[&str]) -> Result<(), Problem> {
        self.only(names)?;
        match names.iter().find(|name| !self.object.contains_key(**name)) {
            Some(name) => Err(self.problem(name, "is missing")),
            None => Ok(()),
        }
    }

    /// # Errors
    /// Absent, not a string, blank, or longer than `max` characters after trimming.
    pub fn text(&self, name: &str, max: usize) -> Result<&'a str, Problem> {
        let text = self.get(name).and_then(Json::as_str).and_then(|text| trimmed(text, max));
        let hint = unquoted(self.get(name));
        text.ok_or_else(|| self.problem(name, format!("must be text of 1 to {max} characters{hint}")))
    }

    /// # Errors
    /// As [`Fields::text`], except that it may be absent.
    pub fn optional_text(&self, name: &str, max: usize) -> Result<Option<&'a str>, Problem> {
        self.get(name).map(|_| self.text(name, max)).transpose()
    }

    /// # Errors
    /// Not a string.
    pub fn optional_string(&self, name: &str) -> Result<Option<&'a str>, Problem> {
        let text = |value: &'a Json| {
            let hint = unquoted(Some(value));
            value.as_str().ok_or_else(|| self.problem(name, format!("must be a string{hint}")))
        };
        self.get(name).map(text).transpose()
    }

    /// # Errors
    /// Absent, or anything but this one string.
    pub fn literal(&self, name: &str, expected: &str) -> Result<(), Problem> {
        match self.get(name).and_then(Json::as_str) {
            Some(text) if text == expected => Ok(()),
            _ => Err(self.problem(name, format!("must be \"{expected}\""))),
        }
    }

    /// # Errors
    /// Not a string, or not one of the words.
    pub fn word<T: Word>(&self, name: &str) -> Result<Option<T>, Problem> {
        self.get(name)
            .map(|value| {
                let word = value.as_str().and_then(T::read);
                word.ok_or_else(|| self.problem(name, format!("must be one of {}", T::WORDS.join(", "))))
            })
            .transpose()
    }

    /// # Errors
    /// Not an integer (`1.0` is none), or out of range.
    pub fn integer(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, Problem> {
        self.get(name)
            .map(|value| {
                let number = value.as_i64().and_then(|number| u32::try_from(number).ok());
                number.filter(|number| range.contains(number)).ok_or_else(|| {
                    self.problem(name, format!("must be an integer from {} to {}", range.start(), range.end()))
                })
            })
            .transpose()
    }

    /// # Errors
    /// Neither `true` nor `false`.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.get(name)
            .map(|value| match value {
                Json::Bool(flag) => Ok(*flag),
                _ => Err(self.problem(name, "must be true or false")),
            })
            .transpose()
    }

    /// # Errors
    /// Not an object.
    pub fn object(&self, name: &str) -> Result<Option<Fields<'a>>, Problem> {
        self.get(name).map(|value| Fields::of(value, self.path(name))).transpose()
    }

    /// # Errors
    /// Not an array, or more than `max` items.
    pub fn array(&self, name: &str, max: usize) -> Result<Option<&'a [Json]>, Problem> {
        self.get(name)
            .map(|value| {
                let items = value.as_array().filter(|items| items.len() <= max);
                items.ok_or_else(|| self.problem(name, format!("must be an array of at most {max} items")))
            })
            .transpose()
    }

    /// # Errors
    /// Not an array of at most `max` strings of at most `max_characters`.
    pub fn strings(&self, name: &str, max: usize, max_characters: usize) -> Result<Option<Vec<String>>, Problem> {
        let Some(items) = self.array(name, max)? else { return Ok(None) };
        let texts = items.iter().enumerate().map(|(index, item)| {
            let text = item.as_str().filter(|text| text.chars().count() <= max_characters);
            text.map(str::to_owned).ok_or_else(|| {
                let path = format!("{}/{index}", self.path(name));
                Problem::new(path, format!("must be a string of at most {max_characters} characters"))
            })
        });
        texts.collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// # Errors
    /// Not a non-empty array of distinct words.
    pub fn word_list<T: Word + PartialEq>(&self, name: &str) -> Result<Option<Vec<T>>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let refuse = || self.problem(name, format!("must be a non-empty array of distinct {}", T::WORDS.join(", ")));
        let items = value.as_array().filter(|items| !items.is_empty()).ok_or_else(refuse)?;
        let mut words = Vec::with_capacity(items.len());
        for item in items {
            let word = item.as_str().and_then(T::read).ok_or_else(refuse)?;
            if words.contains(&word) {
                return Err(refuse());
            }
            words.push(word);
        }
        Ok(Some(words))
    }

    #[must_use]
    pub const fn members(&self) -> &'a Object {
        self.object
    }
}
