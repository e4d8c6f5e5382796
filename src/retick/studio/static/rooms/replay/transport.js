// Which frame is shown: scrubbing, stepping, playing. At most one wish is on its way to the studio; while it is, only
// the newest of the further wishes is kept.

const FRAMES_PER_SECOND = 60;
const GIVE_UP = 2000; // milliseconds after which a wish without an answer is asked again

export class Transport {
  /**
   * @param {import("../../parts/feed.js").Feed} feed
   * @param {() => void} moved called when the wanted frame, the range or play and pause changed
   */
  constructor(feed, moved) {
    this.feed = feed;
    this.moved = moved;
    this.first = 0;
    this.last = 0;
    this.frame = 0; // wanted
    this.position = 0; // the same with its fraction, while playing
    this.speed = 1;
    this.playing = false;
    this.asked = null; // { frame, at }
    this.tick = (now) => this.advance(now);
    this.request = requestAnimationFrame(this.tick);
  }

  stop() {
    cancelAnimationFrame(this.request);
  }

  setRange(first, last) {
    this.first = first;
    this.last = last;
    this.seek(this.frame);
  }

  /** Shows a frame; what is outside of the recordings becomes their first or last one. */
  seek(frame) {
    this.frame = Math.max(this.first, Math.min(this.last, Math.round(frame)));
    this.position = this.frame;
    this.ask();
    this.moved();
  }

  step(frames) {
    this.playing = false;
    this.seek(this.frame + frames);
  }

  toggle() {
    this.playing = !this.playing && this.last > this.first;
    if (this.playing && this.frame >= this.last) this.seek(this.first);
    this.moved();
  }

  advance(now) {
    this.request = requestAnimationFrame(this.tick);
    const passed = Math.min(now - (this.before ?? now), 250);
    this.before = now;
    if (this.asked && now - this.asked.at > GIVE_UP) this.again();
    if (!this.playing) return;
    this.position = Math.min(this.last, this.position + (passed / 1000) * FRAMES_PER_SECOND * this.speed);
    const frame = Math.floor(this.position);
    if (frame !== this.frame) {
      this.frame = frame;
      this.ask();
    }
    if (frame >= this.last) this.playing = false;
    this.moved();
  }

  ask() {
    if (this.asked) return;
    this.asked = { frame: this.frame, at: performance.now() };
    this.feed.send("show", { frame: this.frame });
  }

  /** An answer came. */
  answered() {
    const asked = this.asked;
    this.asked = null;
    if (asked && asked.frame !== this.frame) this.ask();
  }

  /** The files or the connection are new: what was asked is forgotten. */
  again() {
    this.asked = null;
    this.ask();
  }
}
