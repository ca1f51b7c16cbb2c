// Records a participant's voice in a lab session. Pieces of some seconds are kept in this browser
// until the server has them, so that neither a reload nor a dead network costs more than one.
// Fetched only where a study records.

const PIECE_MS = 4000;
/** The microphone counts as silent after this long without any sound. */
const SILENT_MS = 20_000;
/** Root mean square above which there is sound, of a full scale of 1. */
const SOUND = 0.003;
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** What is not on the server yet: in IndexedDB, or in memory where that is not allowed. */
class Kept {
  static async open() {
    const kept = new Kept();
    kept.memory = [];
    try {
      kept.db = await new Promise((done, failed) => {
        const request = indexedDB.open("redial-sound", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("pieces", { keyPath: ["session", "recording", "piece"] });
        request.onsuccess = () => done(request.result);
        request.onerror = request.onblocked = () => failed(request.error);
      });
    } catch (error) {
      console.warn(error);
    }
    return kept;
  }

  #run(mode, work) {
    return new Promise((done, failed) => {
      const transaction = this.db.transaction("pieces", mode, { durability: "strict" });
      const request = work(transaction.objectStore("pieces"));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = transaction.onabort = () => failed(transaction.error);
    });
  }

  async add(piece) {
    if (this.db) {
      try {
        await this.#run("readwrite", (store) => store.put(piece));
        return;
      } catch (error) {
        console.warn(error);
      }
    }
    this.memory.push(piece);
  }

  async of(session) {
    const range = IDBKeyRange.bound([session], [session, []]);
    const stored = this.db ? await this.#run("readonly", (store) => store.getAll(range)).catch(() => []) : [];
    return [...stored, ...this.memory].sort((a, b) => a.recording - b.recording || a.piece - b.piece);
  }

  async drop({ session, recording, piece }) {
    this.memory = this.memory.filter((it) => it.recording !== recording || it.piece !== piece);
    if (this.db) {
      await this.#run("readwrite", (store) => store.delete([session, recording, piece])).catch(console.warn);
    }
  }
}

/**
 * The sound of one session on this page. `report` is told of everything that belongs into the log, as
 * an object with a `kind` and the time `at` by `performance.now()`.
 */
export async function open(session, token, report) {
  const sound = new Sound(session, token, report);
  sound.kept = await Kept.open();
  sound.upload();
  return sound;
}

class Sound {
  constructor(session, token, report) {
    Object.assign(this, { session, token, report });
    this.unsettled = 0;
    this.waitingPieces = 0;
    this.level = 0;
  }

  /** Asks for the microphone, and measures its level from then on. Rejects with the browser's words. */
  async microphone() {
    if (!navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder) {
      throw new Error(globalThis.isSecureContext ? "this browser cannot record" : "browsers record only over HTTPS");
    }
    this.stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    this.#measure();
  }

  #measure() {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 1024;
    context.createMediaStreamSource(this.stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let heardAt = performance.now();
    let silent = false;
    this.context = context;
    this.meter = setInterval(() => {
      // Until somebody has touched the page it may measure nothing.
      if (context.state !== "running") {
        context.resume().catch(() => {});
        heardAt = performance.now();
        return;
      }
      analyser.getFloatTimeDomainData(samples);
      this.level = Math.sqrt(samples.reduce((sum, it) => sum + it * it, 0) / samples.length);
      const now = performance.now();
      if (this.level > SOUND || !this.#hears()) {
        heardAt = now;
      }
      const nowSilent = now - heardAt > SILENT_MS;
      if (nowSilent !== silent) {
        silent = nowSilent;
        this.report({ kind: silent ? "silent" : "heard", at: now });
      }
    }, 100);
  }

  #hears() {
    return this.stream.getAudioTracks().some((track) => track.enabled);
  }

  /** Lets sound through, or silence: the time in the file goes on. */
  hear(on) {
    for (const track of this.stream?.getAudioTracks() ?? []) {
      track.enabled = on;
    }
  }

  /** Begins a recording. */
  start(recording) {
    const type = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(this.stream, { ...(type && { mimeType: type }), audioBitsPerSecond: 48_000 });
    let piece = 0;
    let last = Promise.resolve();
    recorder.onstart = () => {
      this.report({ kind: "started", recording, mediaType: recorder.mimeType || type || "", at: performance.now() });
    };
    recorder.ondataavailable = ({ data }) => {
      const at = performance.now();
      if (data.size === 0) {
        return;
      }
      const number = piece++;
      this.unsettled += 1;
      // One after the other: the log has them in order.
      last = last.then(() => this.#keep(recording, number, data, at)).catch(console.warn).then(() => {
        this.unsettled -= 1;
      });
    };
    recorder.onstop = () => {
      last.then(() => this.report({ kind: "stopped", recording, at: performance.now() }));
    };
    recorder.onerror = ({ error }) => this.report({ kind: "failed", why: String(error), at: performance.now() });
    for (const track of this.stream.getAudioTracks()) {
      track.onended = () => this.report({ kind: "failed", why: "the microphone was taken away", at: performance.now() });
    }
    recorder.start(PIECE_MS);
    this.recorder = recorder;
  }

  async #keep(recording, piece, data, at) {
    const bytes = await data.arrayBuffer();
    const sha256 = hex(await crypto.subtle.digest("SHA-256", bytes));
    await this.kept.add({ session: this.session, recording, piece, bytes });
    this.report({ kind: "piece", recording, piece, bytes: bytes.byteLength, sha256, at });
    this.upload();
  }

  /** Hands over what has been recorded so far, since the page may be left. */
  flush() {
    if (this.recorder?.state === "recording") {
      this.recorder.requestData();
    }
  }

  /** Ends the recording and lets go of the microphone. */
  stop() {
    if (this.recorder && this.recorder.state !== "inactive") {
      this.recorder.stop();
    }
    this.release();
  }

  release() {
    clearInterval(this.meter);
    this.context?.close().catch(() => {});
    this.stream?.getTracks().forEach((track) => track.stop());
  }

  /** Number of pieces that the server does not have yet. */
  waiting() {
    return this.unsettled + this.waitingPieces;
  }

  /** Hands in what is kept, oldest first, until nothing is left. */
  async upload() {
    if (this.uploading) {
      return;
    }
    this.uploading = true;
    let wait = 500;
    for (;;) {
      const pieces = await this.kept.of(this.session);
      this.waitingPieces = pieces.length;
      if (pieces.length === 0) {
        break;
      }
      const [piece] = pieces;
      const outcome = await this.#send(piece);
      if (outcome === "again") {
        await pause(wait);
        wait = Math.min(2 * wait, 10_000);
      } else {
        await this.kept.drop(piece);
        wait = 500;
      }
    }
    this.uploading = false;
  }

  async #send({ recording, piece, bytes }) {
    try {
      const answer = await fetch(`${document.documentElement.dataset.base ?? ""}/api/sessions/${this.session}/recordings/${recording}/${piece}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/octet-stream" },
        body: bytes,
        signal: AbortSignal.timeout(30_000),
      });
      // Erased: nothing is wanted any more.
      return answer.ok || answer.status === 410 ? "done" : "again";
    } catch {
      return "again";
    }
  }
}
