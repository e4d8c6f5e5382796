// A sound for each cue that starts. The library says each one once, however often its frame is resimulated.

const KNOWN = {
  swing: { wave: "triangle", from: 520, to: 180, seconds: 0.09, volume: 0.12 },
  jump: { wave: "sine", from: 220, to: 520, seconds: 0.14, volume: 0.14 },
  hit: { wave: "square", from: 160, to: 50, seconds: 0.16, volume: 0.22 },
  "knocked out": { wave: "sawtooth", from: 330, to: 40, seconds: 0.7, volume: 0.2 },
};
const OTHER = { wave: "sine", from: 440, to: 330, seconds: 0.08, volume: 0.12 };

export class Sounds {
  constructor() {
    this.on = true;
    this.counts = { started: 0, confirmed: 0, cancelled: 0 };
    this.context = null;
  }

  /** Browsers allow sound only after the user has done something. */
  allow() {
    if (!navigator.userActivation?.hasBeenActive) return;
    if (!this.context && window.AudioContext) this.context = new AudioContext();
    this.context?.resume();
  }

  reset() {
    this.counts = { started: 0, confirmed: 0, cancelled: 0 };
  }

  /** @param {{ event: string, name: string, player: number|null }} cue */
  cue({ event, name, player }) {
    if (event in this.counts) this.counts[event] += 1;
    if (event !== "started" || !this.on || this.context?.state !== "running") return;
    const { wave, from, to, seconds, volume } = KNOWN[name] ?? OTHER;
    const now = this.context.currentTime;
    const tone = this.context.createOscillator();
    const loud = this.context.createGain();
    const side = this.context.createStereoPanner();
    tone.type = wave;
    tone.frequency.setValueAtTime(from, now);
    tone.frequency.exponentialRampToValueAtTime(to, now + seconds);
    loud.gain.setValueAtTime(volume, now);
    loud.gain.exponentialRampToValueAtTime(0.001, now + seconds);
    side.pan.value = player === null ? 0 : player ? 0.4 : -0.4;
    tone.connect(loud).connect(side).connect(this.context.destination);
    tone.start(now);
    tone.stop(now + seconds);
  }

  text() {
    const { started, cancelled } = this.counts;
    return `${started} started, ${cancelled} taken back`;
  }

  close() {
    this.context?.close();
  }
}
