//! A figure: what is drawn at two widths, its data, and its caption.

use std::sync::{Arc, OnceLock};

use analysis::table::{Table, TableCell, TableColumn, escaped_html as escaped};
use krilla::Document;
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::canvas::{Area, Canvas, PersonLink};
use crate::ink::{Ink, dark_style};
use crate::letters::{FAMILY, fonts};

/// Width of a printed page's text, two columns: 7 inches.
pub(crate) const PAGE: f64 = 504.0;
/// Width for a phone's screen; about that of one printed column.
pub(crate) const COLUMN: f64 = 244.0;
/// Space around a drawing.
const MARGIN: f64 = 5.0;
/// Dots per inch of a PNG.
const DPI: f32 = 300.0;

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Name of its files, without ending: lower-case letters, digits and `-`.
    pub name: String,
    /// Sentences: the content of the figure, the number of people, and the test.
    pub caption: String,
    /// Its data: every number that is drawn.
    pub data: Table,
    /// As wide as a page.
    page: Canvas,
    /// As wide as a column.
    column: Canvas,
}

/// Why a figure cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the figure {name} cannot be drawn as {format}: {why}")]
pub struct RenderError {
    /// Which figure.
    pub name: String,
    /// The format.
    pub format: &'static str,
    /// The reason, in words.
    pub why: String,
}

impl Figure {
    pub(crate) fn new(
        name: String,
        caption: String,
        columns: Vec<TableColumn>,
        rows: Vec<Vec<TableCell>>,
        draw: impl Fn(f64) -> Canvas,
    ) -> Self {
        let data = Table {
            name: name.clone(),
            caption: caption.clone(),
            columns,
            rows,
            notes: Vec::new(),
        };
        Self::of_table(name, caption, data, draw)
    }

    pub(crate) fn of_table(
        name: String,
        caption: String,
        data: Table,
        draw: impl Fn(f64) -> Canvas,
    ) -> Self {
        Self {
            name,
            caption,
            data,
            page: draw(PAGE),
            column: draw(COLUMN),
        }
    }

    /// A file of SVG, 7 inches wide, with colours for dark screens.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let style = format!("<style>{}</style>\n", dark_style());
        svg(&self.page, &self.caption, &style, true, None)
    }

    /// SVG for a page of HTML that has [`dark_style`]: one drawing for wide screens and
    /// paper (class `wide`), one for narrow ones (class `narrow`), both as wide as there is room.
    #[must_use]
    pub fn to_inline(&self) -> String {
        self.inline(None)
    }

    /// As [`Figure::to_inline`]; what stands for one person leads to them.
    #[must_use]
    pub fn to_linked(&self, link: PersonLink<'_>) -> String {
        self.inline(Some(link))
    }

    fn inline(&self, link: Option<PersonLink<'_>>) -> String {
        let of = |canvas: &Canvas, class: &str| {
            let svg = svg(canvas, &self.caption, "", false, link);
            svg.replacen("<svg ", &format!("<svg class=\"{class}\" "), 1)
        };
        of(&self.page, "wide") + &of(&self.column, "narrow")
    }

    /// The picture as PNG with 300 dots per inch, on white ground.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn to_png(&self) -> Result<Vec<u8>, RenderError> {
        self.png_of(&self.page)
    }

    /// The drawing for narrow screens as PNG.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn to_narrow_png(&self) -> Result<Vec<u8>, RenderError> {
        self.png_of(&self.column)
    }

    fn png_of(&self, canvas: &Canvas) -> Result<Vec<u8>, RenderError> {
        let failed = |why: String| self.failed("PNG", why);
        let tree = self.tree(canvas).map_err(failed)?;
        let scale = DPI / 96.0;
        let size = tree.size();
        let pixels = |length: f32| (length * scale).ceil() as u32;
        let mut picture = Pixmap::new(pixels(size.width()), pixels(size.height()))
            .ok_or_else(|| failed("it is too large".to_owned()))?;
        // The height is no whole number of pixels: without a ground the last row would be transparent.
        picture.fill(Color::WHITE);
        let transform = Transform::from_scale(scale, scale);
        resvg::render(&tree, transform, &mut picture.as_mut());
        picture
            .encode_png()
            .map_err(|error| failed(error.to_string()))
    }

    /// The figure as PDF of its own size, text as text, with its fonts.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn to_pdf(&self) -> Result<Vec<u8>, RenderError> {
        let failed = |why: String| self.failed("PDF", why);
        let tree = self.tree(&self.page).map_err(failed)?;
        // An inch is 96 of the tree's pixels and 72 points.
        let points = |pixels: f32| pixels * 0.75;
        let size = Size::from_wh(points(tree.size().width()), points(tree.size().height()))
            .ok_or_else(|| failed("it has no size".to_owned()))?;
        let mut document = Document::new();
        document.set_metadata(Metadata::new().title(self.caption.clone()));
        let mut page = document.start_page_with(PageSettings::new(size));
        let mut surface = page.surface();
        surface
            .draw_svg(&tree, size, SvgSettings::default())
            .ok_or_else(|| failed("a mark cannot be drawn".to_owned()))?;
        surface.finish();
        page.finish();
        document
            .finish()
            .map_err(|error| failed(format!("{error:?}")))
    }

    fn tree(&self, canvas: &Canvas) -> Result<Tree, String> {
        static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
        let fonts = FONTS.get_or_init(|| {
            let mut database = fontdb::Database::new();
            for font in fonts() {
                database.load_font_data(font.to_vec());
            }
            Arc::new(database)
        });
        let options = Options {
            fontdb: fonts.clone(),
            ..Options::default()
        };
        // Its fonts are those that come along, whatever the machine has.
        let text = svg(canvas, &self.caption, "", true, None).replacen(FAMILY, "DejaVu Sans", 1);
        Tree::from_str(&text, &options).map_err(|error| error.to_string())
    }

    fn failed(&self, format: &'static str, why: String) -> RenderError {
        RenderError {
            name: self.name.clone(),
            format,
            why,
        }
    }
}

/// The drawing on its ground; `sized`: with its size in inches. With links it is a group of things, without one picture.
fn svg(
    canvas: &Canvas,
    title: &str,
    style: &str,
    sized: bool,
    link: Option<PersonLink<'_>>,
) -> String {
    let (width, height) = (canvas.width, canvas.height.ceil() + 2.0 * MARGIN);
    let mut ground = Canvas::new(width);
    let size_of = |height: f64| {
        if sized {
            format!(
                "width=\"{:.4}in\" height=\"{:.4}in\" ",
                width / 72.0,
                height / 72.0
            )
        } else {
            String::new()
        }
    };
    // The drawing is made a little smaller, so that nothing touches the edge.
    let scale = width / (width + 2.0 * MARGIN);
    let height = (height * scale).ceil();
    let area = Area::new(0.0, 0.0, width, height);
    ground.rect(area, Ink::Paper, 1.0);
    let size = size_of(height);
    let role = if link.is_some() { "group" } else { "img" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {size}viewBox=\"0 0 {width} {height}\" role=\"{role}\" \
         font-family=\"{FAMILY}\">\n<title>{}</title>\n{style}{}<g transform=\"scale({scale:.5}) translate({MARGIN} {MARGIN})\">\n{}</g>\n</svg>\n",
        escaped(title),
        ground.marks(&|_| None),
        canvas.marks(link.unwrap_or(&|_| None))
    )
}
