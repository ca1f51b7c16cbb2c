//! How far a study's numbers can be believed: signs of scripts, and what does not follow from its inputs.

use api::research::ResultOf;
use frontend::ui::parts::Heading;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::Whose;
use crate::route::Route;
use crate::text::text;

mod automation;
mod verification;

use automation::Automation;
use verification::Verification;

/// The page of a study's trust.
#[component]
pub fn TrustPage(area: Area, study: String, of: ResultOf) -> impl IntoView {
    let name_of_study = study.clone();
    view! {
        <div data-screen="trust" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{name_of_study}</Link></p>
            <Heading words=text().trust.heading()/>
            <Whose area shown=of to=|study, of| Route::Trust { study, of } study=study.clone()/>
            <Automation area study=study.clone() of/>
            <Verification area study of/>
        </div>
    }
}
