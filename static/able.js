// Says what the browser lacks, before anything newer is loaded. This file is older than modules: nothing
// in it is newer than ECMAScript 3, so that every browser can read it.

(function () {
  var root = document.documentElement;
  /** The path that everything lies under, as the server was told; empty at the top of its address. */
  var base = root.getAttribute("data-base") || "";

  // The smallest module that uses a 128-bit vector: (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt).
  var vectors = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11
  ];

  /** The app's texts in other languages than English: addresses by language, below the base. */
  var texts = {{texts}};

  /**
   * The language that link or browser want most, of those that the app has: for all that is shown
   * before the study says its own.
   */
  function wanted() {
    var link = /[?&]lang=([^&#]+)/.exec(location.search);
    var tags = link ? [link[1]] : [];
    tags = tags.concat(navigator.languages || navigator.language || navigator.userLanguage || []);
    for (var i = 0; i < tags.length; i += 1) {
      var general = String(tags[i]).split("-")[0];
      var found = known(tags[i]) || known(general);
      if (found) {
        return found;
      }
    }
    return "en";
  }

  function known(tag) {
    return tag === "en" || texts.hasOwnProperty(tag) ? tag : "";
  }

  /**
   * What is missing: "old" for a browser without modules or vectors, "forbidden" for one whose settings
   * keep WebAssembly away, else nothing.
   */
  function lack() {
    if (!("noModule" in document.createElement("script"))) {
      return "old";
    }
    try {
      return WebAssembly.validate(new Uint8Array(vectors)) ? "" : "old";
    } catch (e) {
      return "forbidden";
    }
  }

  /** Shows one of the page's messages in the place of what it said before. */
  function show(message) {
    var boot = document.getElementById("boot");
    var said = document.getElementById("boot-" + message);
    if (!boot || !said) {
      return;
    }
    boot.className += " stopped";
    said.removeAttribute("hidden");
    // Above a study's first page, which somebody may be reading.
    said.scrollIntoView();
  }

  /** The same, as soon as the page is there. */
  function showSoon(message) {
    if (document.readyState !== "loading") {
      show(message);
    } else if (document.addEventListener) {
      document.addEventListener("DOMContentLoaded", function () { show(message); });
    } else {
      window.onload = function () { show(message); };
    }
  }

  var own = wanted();
  // The server has chosen the language of a study's first page, and the app begins in that.
  var chosen = root.getAttribute("data-spoken");
  var language = (chosen && known(chosen)) || own;
  // The languages that the page's own messages come in. The experimenter's page is in English.
  var spoken = root.getAttribute("data-boot");
  if (spoken) {
    if (!chosen) {
      root.lang = own;
    }
    root.setAttribute("data-boot", (" " + spoken + " ").indexOf(" " + own + " ") < 0 ? "en" : own);
  }

  /**
   * Whether this browser has a session of the page's study, as frontend/src/runtime/waiting_page.rs has
   * noted, or the address names one: then nobody is asked to read the consent form again.
   */
  function begun() {
    var key = "redial-begun:" + location.pathname.replace(/\/+$/, "");
    try {
      return location.hash.indexOf("#session=") === 0 || localStorage.getItem(key) || sessionStorage.getItem(key);
    } catch (e) {
      return false;
    }
  }

  if (begun()) {
    root.setAttribute("data-begun", "");
  }

  // A consent form can be printed before the app is there, and while it is.
  function print(event) {
    for (var at = event.target; at && at.getAttribute; at = at.parentNode) {
      if (at.getAttribute("data-print") !== null && window.print) {
        window.print();
      }
    }
  }

  if (document.addEventListener) {
    document.addEventListener("click", print);
  }

  var lacks = lack();
  window.redialBoot = { base: base, language: language, texts: texts, lacks: lacks, show: show };
  if (lacks) {
    showSoon(lacks);
    return;
  }

  // A module that does not arrive, or that the browser cannot read.
  var failed = false;
  window.addEventListener("error", function (event) {
    var script = event.target && event.target.type === "module";
    if (!failed && (script || event.error instanceof SyntaxError)) {
      failed = true;
      showSoon(script ? "failed" : "old");
    }
  }, true);
}());
