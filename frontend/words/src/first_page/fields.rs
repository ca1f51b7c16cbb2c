//! Fields that will be filled in once the app is there: read before, and in the places that the app's own fields take.

use domain::questionnaire::Item;
use domain::study::Agreement;

use super::Html;
use crate::Study;

/// A choice that will be made before the start, as `ui/form/fields.rs` has it.
pub(super) fn question(html: &mut Html, item: &Item) {
    html.0 += r#"<fieldset class="card item">"#;
    html.text("<legend>", &item.text, "</legend>");
    html.0 += r#"<p class="item-hint"></p><div class="ticks">"#;
    for option in item.answer.options() {
        html.0 += r#"<div class="option-row"><label class="tick">"#;
        let input = r#"<input type="radio" disabled><span>"#;
        html.text(input, &option.text, "</span></label></div>");
    }
    html.0 += r#"</div><p class="item-problem"></p></fieldset>"#;
}

/// Where one will tick or sign.
pub(super) fn agreement(html: &mut Html, kind: Agreement, words: &Study) {
    let control = match kind {
        Agreement::Button => return,
        Agreement::Checkbox => {
            html.0 += r#"<div class="card item agree"><label class="tick">"#;
            html.text(
                r#"<input type="checkbox" disabled><span>"#,
                words.agree_box(),
                "</span></label>",
            );
            ""
        }
        Agreement::Signature => {
            html.0 += r#"<div class="card item agree">"#;
            html.text(r#"<label for="signature">"#, words.signature(), "</label>");
            r#"<input type="text" id="signature" disabled>"#
        }
    };
    html.0
        .extend([control, r#"<p class="item-problem"></p></div>"#]);
}
