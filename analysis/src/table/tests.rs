use super::*;

fn table(label: &str) -> Table {
    Table {
        name: "t".to_owned(),
        caption: "Of 3 people; 50 % & more.".to_owned(),
        columns: vec![
            TableColumn::new("Model", ColumnKind::Group),
            TableColumn::new("Label", ColumnKind::Text),
            TableColumn::keyed("Error AUC / 1000", "error_auc", ColumnKind::Mean),
            TableColumn::new("a, b", ColumnKind::P),
            TableColumn::new("ANOVA", ColumnKind::Test),
        ],
        rows: vec![
            vec![
                TableCell::text("ae_5"),
                TableCell::text(label),
                TableCell::Mean {
                    mean: 55_812.5,
                    sd: 25_600.25,
                    divisor: 1_000.0,
                    best: true,
                },
                TableCell::P {
                    p: 0.01,
                    corrected: Some(0.02),
                },
                TableCell::Test {
                    symbol: "F",
                    df: vec![2.0, 28.0],
                    statistic: 4.633,
                    p: 0.000_07,
                },
            ],
            vec![
                TableCell::text("ae_5"),
                TableCell::text("plain"),
                TableCell::None,
                TableCell::None,
                TableCell::None,
            ],
        ],
        notes: vec!["A note.".to_owned()],
    }
}

/// The text as a spreadsheet would read it: each kind of attack that OWASP names ("CSV
/// Injection") begins with = + - @, tab or carriage return.
#[test]
fn csv_keeps_numbers_and_disarms_formulas() {
    let csv = table("=HYPERLINK(\"http://x\",\"y\")").to_csv();
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "model,label,error_auc_mean,error_auc_sd,a_b_p,a_b_p_corrected,anova_statistic,anova_df1,anova_df2,anova_p"
    );
    assert_eq!(
        lines[1],
        "ae_5,\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\",55812.5,25600.25,0.01,0.02,4.633,2,28,0.00007"
    );
    // A group's name stands in every row: the table can be filtered.
    assert_eq!(lines[2], "ae_5,plain,,,,,,,,");
    for start in ["+1", "-1", "@x", "\tx", "\rx"] {
        assert!(
            table(start).to_csv().contains(&format!("'{start}")),
            "{start:?}"
        );
    }
}

#[test]
fn markdown_is_one_line_a_row_whatever_people_wrote() {
    let text = table("a|b *c*\n<script>").to_markdown();
    assert!(text.contains("| ae\\_5 | a\\|b \\*c\\* \\<script\\> | **55.8 ± 25.6** | **0.020\\*** | F(2, 28) = 4.63, p = 7e−5 |"), "{text}");
    assert!(text.contains("|  | plain | – | – | – |"), "{text}");
}

#[test]
fn latex_escapes_what_it_would_take_for_commands() {
    let text = table("50% \\input{x} $y_1$ #&").to_latex();
    let expected = "ae\\_5 & 50\\% \\textbackslash{}input\\{x\\} \\$y\\_1\\$ \\#\\& & \\textbf{55.8 $\\pm$ 25.6}";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("\\caption{Of 3 people; 50 \\% \\& more.}"),
        "{text}"
    );
}

#[test]
fn html_escapes_markup() {
    let text = table("<script>\"&\u{1}").to_html("Table 1.");
    assert!(
        text.contains("<td>&lt;script&gt;&quot;&amp;\u{fffd}</td>"),
        "{text}"
    );
}

#[test]
fn p_values_keep_two_digits_and_zero_has_no_sign() {
    let shown = [1.0, 0.5, 0.041, 0.0061, 7e-8].map(p_value);
    assert_eq!(shown, ["1.0", "0.50", "0.041", "0.0061", "7e−8"]);
    assert_eq!(
        [0.05, 0.049, 0.0099, 9e-4, 9e-5].map(stars),
        ["", "*", "**", "***", "****"]
    );
    assert_eq!([rounded(-0.001, 2), rounded(-1.5, 1)], ["0.00", "−1.5"]);
}

#[test]
fn names_lose_what_all_have_in_common() {
    let of = |names: &[&str]| short_names(names);
    assert_eq!(of(&["lines-ae", "lines-vae"]), ["ae", "vae"]);
    assert_eq!(of(&["ae5", "ae10"]), ["ae5", "ae10"]);
    assert_eq!(of(&["a-x-z", "a-y-z"]), ["x", "y"]);
    assert_eq!(of(&["a-b", "a-b"]), ["b", "b"]);
    assert_eq!(of(&["only-one"]), ["only-one"]);
}
