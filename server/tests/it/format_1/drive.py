"""Three sessions of a study of format 1, written by a server of format 1 (Redial before November 2026)."""
import json, sys, urllib.request
base = sys.argv[1]
def call(method, path, body=None, token=None):
    req = urllib.request.Request(base + path, method=method, data=None if body is None else json.dumps(body).encode())
    req.add_header("content-type", "application/json")
    if token: req.add_header("authorization", "Bearer " + token)
    return json.loads(urllib.request.urlopen(req).read())
tokens = {}
def take(attempt, stop_after):
    started = call("POST", "/api/studies/old/sessions", {"attempt": attempt, "participant_code": attempt[:3]})
    plan, token = started["plan"], started["token"]
    sid = plan["session"]; tokens[sid] = token
    events, now = [], [0]
    def log(kind, after=500, **fields):
        now[0] += after
        events.append({"format": 1, "session": sid, "seq": len(events), "at_ms": now[0], "kind": kind, **fields})
    log("page_opened", page={"viewport_width_px": 1280, "viewport_height_px": 720, "pixel_ratio": 1.0, "touch": False, "user_agent": "made by drive.py"})
    log("tutorial_finished")
    for s, stage in enumerate(plan["stages"]):
        log("stage_started", stage=s)
        for q, question in enumerate(stage["questions"]):
            log("question_started", stage=s, question=q)
            t0, z = now[0], list(question["start"])
            shot = lambda d, dim=None, dr=None: log("snapshot", 300, elapsed_ms=now[0] + 300 - t0, z=list(z), distance=d, squared_error=round(64 * d, 6),
                **({} if dim is None else {"dimension": dim, "direction": dr}))
            shot(0.9)
            for i in range(12):
                dim = (i // 3) % len(z)
                lo, hi = stage["model"]["latent"][dim]["min"], stage["model"]["latent"][dim]["max"]
                new = min(hi, max(lo, round(z[dim] + (0.05 if i % 4 else -0.1) * (hi - lo), 2)))
                dr = 1 if new > z[dim] else -1
                if new == z[dim]: continue
                z[dim] = new
                shot(round(0.8 - 0.03 * i, 3), dim, dr)
                if i == 5: log("activity", 2500)
                if i == 7: log("page_hidden", 100); log("page_shown", 8000)
                if i == 9 and stage["rename_dials"]: log("dial_renamed", dimension=0, name="slope")
            if s == 1 and q == 1:
                for i in range(12): log("activity", 2900)
                log("question_skipped")
            else:
                if s == 2: log("display_switched", arrangement="apart")
                shot(0.0); log("question_solved", 0)
                if s == 1: log("display_switched", arrangement="apart")
                log("moved_on")
            if (s, q) == stop_after: break
        else:
            for page in stage["after"]:
                log("questionnaire_answered", questionnaire=page["id"], answers={"seq": 5})
            continue
        break
    else:
        for page in plan["closing"]:
            log("questionnaire_answered", questionnaire=page["id"], answers={"words": "Fine."})
    call("POST", f"/api/sessions/{sid}/events", {"events": events}, token)
    if stop_after is None: print(call("POST", f"/api/sessions/{sid}/completion", {}, token))
    return sid
take("one-complete-session", None)
take("two-stops-in-the-middle", (1, 0))
take("six-only-practises-12", (0, 0))
json.dump(tokens, open("tokens.json", "w"))
