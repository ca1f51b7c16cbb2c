// Keeps a page alive that the browser translates.
//
// A translator puts elements in the place of text nodes: <font><font>Hallo</font></font> for "Hello". The
// app goes on to change, move and remove the text nodes that it made, and would do so beside the page. So
// each is put back, empty, before the element that stands for it: what the app does to it happens in the
// page again. Once the app gives it other words, or takes it away, the element goes, and the translator,
// which watches the page, translates the new words.

/** What stands for a text node, and the words that the node had. */
const standIns = new WeakMap();

const PLACES = { subtree: true, childList: true };
const observer = new MutationObserver(mend);
observer.observe(document.documentElement, PLACES);

function mend(records) {
  const added = new Set();
  for (const { addedNodes } of records) {
    for (const node of addedNodes) {
      if (node.nodeName === "FONT") {
        added.add(node);
      }
    }
  }
  for (const record of records) {
    if (record.type === "characterData") {
      give(record.target, record.target.data);
      continue;
    }
    for (const node of record.removedNodes) {
      if (standIns.has(node)) {
        // Taken away or moved, with the words that the app knows it by.
        give(node, standIns.get(node).words);
      } else if (node.nodeType === Node.TEXT_NODE && !node.isConnected) {
        const near = [...record.addedNodes, record.previousSibling, record.nextSibling];
        const element = near.find((it) => added.has(it) && it.parentNode === record.target);
        if (element) {
          added.delete(element);
          putBack(node, element);
        }
      }
    }
  }
  // What was done here is no news.
  observer.takeRecords();
}

/** Puts a text node back into its place, empty, before what stands for it. */
function putBack(node, element) {
  standIns.set(node, { element, words: node.data });
  element.before(node);
  node.data = "";
  const root = document.documentElement;
  if (!("translated" in root.dataset)) {
    // The app logs it. From now on changes of words count, too.
    root.dataset.translated = "";
    observer.observe(root, { ...PLACES, characterData: true });
  }
}

/** Gives a text node its place and these words. */
function give(node, words) {
  const standIn = standIns.get(node);
  if (standIn) {
    standIns.delete(node);
    standIn.element.remove();
    if (node.data !== words) {
      node.data = words;
    }
  }
}
