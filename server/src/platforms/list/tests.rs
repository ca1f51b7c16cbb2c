use super::*;

const PROLIFIC: &str = "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,\
                        Reviewed at,Archived at,Time taken,Completion code,Total approvals,Fluent languages";

fn prolific(rows: &str) -> Result<PlatformList, ListError> {
    read_list(format!("{PROLIFIC}\n{rows}").as_bytes())
}

fn said(text: impl AsRef<[u8]>) -> String {
    read_list(text.as_ref()).unwrap_err().to_string()
}

#[test]
fn prolifics_list_is_read() {
    let list = prolific(
        "s1,p1,AWAITING REVIEW,Not Applicable,2024-10-25T12:27:09Z,2024-10-25T12:46:18Z,,,1150,C1A2,389,\"Czech, English\"\n\
         s2,p2,RETURNED,,,,,,,NOCODE,,\n",
    )
    .unwrap();
    assert_eq!((list.platform, list.repeated), ("prolific", 0));
    let first = &list.rows[0];
    assert_eq!(
        (first.number, &*first.submission, &*first.participant),
        (2, "s1", "p1")
    );
    assert_eq!(first.state, ListedState::HandedIn);
    assert_eq!(first.code.as_deref(), Some("C1A2"));
    assert_eq!(list.rows[1].code, None);
    // As it was called before.
    let old = "session_id,participant_id,status,entered_code\ns1,p1,APPROVED,C1A2\n";
    let old = read_list(old.as_bytes()).unwrap();
    assert_eq!(old.rows[0].state, ListedState::Approved);
    assert_eq!(old.rows[0].code.as_deref(), Some("C1A2"));
}

#[test]
fn results_of_a_batch_are_read() {
    let text = "\"HITId\",\"HITTypeId\",\"AssignmentId\",\"WorkerId\",\"AssignmentStatus\",\"AcceptTime\",\"SubmitTime\",\
                \"Answer.completionCode\",\"Approve\",\"Reject\"\r\n\
                \"H1\",\"T1\",\"A1\",\"W1\",\"Submitted\",\"\",\"\",\"9f\",\"\",\"\"\r\n";
    let list = read_list(text.as_bytes()).unwrap();
    assert_eq!(list.platform, "mturk");
    assert_eq!(list.rows[0].submission, "A1");
    assert_eq!(list.rows[0].participant, "W1");
    assert_eq!(list.rows[0].code.as_deref(), Some("9f"));
}

#[test]
fn what_programs_for_tables_make_of_it_is_read() {
    let expected = prolific("s1,p1,APPROVED,,,,,,,,,\n").unwrap().rows;
    let head = PROLIFIC.replace(',', ";");
    let semicolons = format!("\u{feff}{head}\r\ns1;p1;APPROVED;;;;;;;;;\r\n;;;;;;;;;;;\r\n");
    assert_eq!(read_list(semicolons.as_bytes()).unwrap().rows, expected);
    let tabs = "Participant id\tStatus\tSubmission id\n p1 \tAPPROVED\ts1\n";
    assert_eq!(read_list(tabs.as_bytes()).unwrap().rows, expected);
    // A cell over several lines is one row.
    let text = "Submission id,Participant id,Status,Note\ns0,p0,ACTIVE,\"a\nb\"\ns1,p1,APPROVED,\"c \"\"d\"\"\"\n";
    let list = read_list(text.as_bytes()).unwrap();
    assert_eq!(list.rows[1].number, 3);
    // Without rows it is a list of nobody.
    assert!(prolific("").unwrap().rows.is_empty());
}

#[test]
fn a_row_that_is_there_twice_counts_once_and_two_that_differ_are_refused() {
    let list = prolific("s1,p1,APPROVED,,,,,,,,,\ns1,p1,APPROVED,,,,,,,,,\n").unwrap();
    assert_eq!((list.rows.len(), list.repeated), (1, 1));
    let refused =
        prolific("s1,p1,APPROVED,,,,,,,,,\ns2,p2,ACTIVE,,,,,,,,,\ns1,p1,ACTIVE,,,,,,,,,\n");
    let refused = refused.unwrap_err();
    assert_eq!(
        refused,
        ListError::Contradiction {
            first: 2,
            second: 4
        }
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let layout = said("Name;Code\nx;y\n");
    assert!(layout.contains("Name, Code"), "{layout}");
    for wanted in [
        "Submission id, Participant id, Status",
        "AssignmentId, WorkerId, AssignmentStatus",
    ] {
        assert!(layout.contains(wanted), "{layout}");
    }
    let of = |rows: &str| prolific(rows).unwrap_err().to_string();
    let empty = of("s1,p1,APPROVED,,,,,,,,,\ns2,,ACTIVE,,,,,,,,,\n");
    assert_eq!(empty, "row 3, column 'Participant id': it is empty");
    let short = of("s1,p1,APPROVED\n");
    assert_eq!(short, "row 2: it has 3 cells, and 12 are expected");
    let long = of(&format!("{},p1,APPROVED,,,,,,,,,\n", "x".repeat(201)));
    assert!(
        long.contains("row 2, column 'Submission id'") && long.contains("201"),
        "{long}"
    );
    let control = of("s\u{1b}[31m,p1,APPROVED,,,,,,,,,\n");
    assert!(control.contains("cannot be shown"), "{control}");
    assert!(said("").contains("is empty"));
    assert!(said("\u{feff}\r\n\r\n").contains("is empty"));
    assert!(said([0xff, 0xfe, 0x41, 0x00]).contains("UTF-16"));
    assert!(said(b"Submission id,Participant id,Status\ns1,p\xe9,APPROVED\n").contains("line 2"));
    // A picture, say.
    assert!(said([0x89, b'P', b'N', b'G']).contains("UTF-8"));
}

#[test]
fn what_is_too_long_is_refused_and_the_longest_is_read() {
    let rows = |number: usize| -> String {
        (0..number)
            .map(|it| format!("s{it},p{it},ACTIVE,,,,,,,,,\n"))
            .collect()
    };
    assert_eq!(prolific(&rows(MOST_ROWS)).unwrap().rows.len(), MOST_ROWS);
    let long = prolific(&rows(MOST_ROWS + 1)).unwrap_err().to_string();
    assert!(long.contains("more than 50000 rows"), "{long}");
    let bytes = vec![b'x'; MOST_BYTES + 1];
    assert!(said(bytes).contains("5242880"));
}
