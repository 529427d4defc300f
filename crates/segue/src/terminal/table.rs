//! Tables as wide as the terminal; elsewhere as wide as what they hold.

use clap::builder::styling::AnsiColor;
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Row, Table, presets};

use super::plain;

/// One field. Its text is made fit for a terminal here.
#[derive(Debug, Clone)]
pub struct Field {
    text: String,
    colour: Option<AnsiColor>,
}

impl Field {
    #[must_use]
    pub fn coloured(text: &str, colour: AnsiColor) -> Self {
        Self { text: text.to_owned(), colour: Some(colour) }
    }
}

impl<T: AsRef<str>> From<T> for Field {
    fn from(text: T) -> Self {
        Self { text: text.as_ref().to_owned(), colour: None }
    }
}

/// The least that a column is worth showing in.
const COLUMN_LEAST: usize = 10;
/// Between two columns.
const GAP: u16 = 2;

/// Renders rows under headings, one line each. Where the terminal is too narrow, the columns after the
/// first `whole` are cut, and the last of them left out.
#[must_use]
pub fn render<const N: usize>(headings: [&str; N], whole: usize, rows: Vec<[Field; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_truncation_indicator("…");
    let mut header = Row::from(headings.map(|heading| Cell::new(heading).add_attribute(Attribute::Bold)));
    header.max_height(1);
    table.set_header(header);
    for row in rows {
        let mut row = Row::from(row.map(|field| {
            let cell = Cell::new(plain::line(&field.text));
            match field.colour {
                Some(colour) => cell.fg(shade(colour)),
                None => cell,
            }
        }));
        row.max_height(1);
        table.add_row(row);
    }
    let widths: Vec<usize> = table.column_max_content_widths().into_iter().map(usize::from).collect();
    let width = known(table.width());
    if width.is_none() {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    let shown = width.map_or(N, |width| fitting(&widths, whole, width));
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, GAP));
        if number < whole {
            column.set_constraint(ColumnConstraint::ContentWidth);
        } else if number >= shown {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// The width to keep to; none where there is no terminal, or one that does not know its size and says 0.
fn known(width: Option<u16>) -> Option<usize> {
    width.filter(|width| *width > 0).map(usize::from)
}

/// How many columns of these widths fit when those after the first `whole` may be cut.
fn fitting(widths: &[usize], whole: usize, terminal: usize) -> usize {
    let needed = |columns: usize| {
        let least = |(number, width): (usize, &usize)| if number < whole { *width } else { COLUMN_LEAST.min(*width) };
        widths[..columns].iter().enumerate().map(|column| least(column) + usize::from(GAP)).sum::<usize>()
    };
    (whole..=widths.len()).rev().find(|columns| needed(*columns) <= terminal).unwrap_or(whole)
}

const fn shade(colour: AnsiColor) -> Color {
    match colour {
        AnsiColor::Red => Color::DarkRed,
        AnsiColor::Green => Color::DarkGreen,
        AnsiColor::Yellow => Color::DarkYellow,
        AnsiColor::Cyan => Color::DarkCyan,
        AnsiColor::Blue => Color::DarkBlue,
        _ => Color::Reset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_what_it_holds() {
        let row = |a: &str, b: &str| [Field::from(a), Field::coloured(b, AnsiColor::Red)];
        let text = render(["A", "B"], 1, vec![row("one", "x\u{1b}[1m\ny"), row("o", "")]);
        assert_eq!(text, "A    B\none  x␛[1m y\no");
    }

    #[test]
    fn a_terminal_that_does_not_know_its_width_cuts_nothing() {
        assert_eq!([known(None), known(Some(0)), known(Some(80))], [None, None, Some(80)]);
    }

    #[test]
    fn columns_that_would_be_too_narrow_are_left_out() {
        let widths = [17, 5, 40, 3];
        let shown = [100, 43, 42, 38, 37, 26, 10].map(|terminal| fitting(&widths, 2, terminal));
        assert_eq!(shown, [4, 4, 3, 3, 2, 2, 2]);
    }
}
