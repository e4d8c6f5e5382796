// One room's WebSocket. It connects again by itself, with the token of its room; see docs/guides/studio.md.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;
const TAKEN = 4409;

export class Feed {
  /**
   * @param {string} room
   * @param {{ status?: (state: "connecting"|"open"|"lost"|"taken") => void }} [hooks]
   */
  constructor(room, { status = () => {} } = {}) {
    this.room = room;
    this.closed = false;
    this.token = sessionStorage.getItem(`token-${room}`) ?? "";
    this.wait = FIRST_WAIT;
    this.handlers = new Map();
    this.onBinary = () => {};
    this.status = status;
    this.goodbye = () => this.close();
    window.addEventListener("pagehide", this.goodbye);
    this.connect();
  }

  /** `handler` gets the whole message. One handler for each type. */
  on(type, handler) {
    this.handlers.set(type, handler);
    return this;
  }

  send(type, fields = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...fields }));
  }

  /** @param {File} file @param {number} slot */
  async sendFile(file, slot = 0) {
    const data = await file.arrayBuffer();
    this.send("file", { name: file.name.slice(-200), slot });
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(data);
  }

  /** Ends the room too. */
  close() {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.timer);
    window.removeEventListener("pagehide", this.goodbye);
    sessionStorage.removeItem(`token-${this.room}`);
    this.send("bye");
    this.socket.close();
  }

  connect() {
    this.status("connecting");
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const token = this.token ? `?token=${encodeURIComponent(this.token)}` : "";
    this.socket = new WebSocket(`${scheme}//${location.host}/feed/${this.room}${token}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", (event) => this.receive(event.data));
    this.socket.addEventListener("close", (event) => this.lost(event.code));
  }

  receive(data) {
    if (this.closed) return;
    if (typeof data !== "string") {
      this.onBinary(data);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "hello") {
      this.token = message.token;
      sessionStorage.setItem(`token-${this.room}`, message.token);
      this.wait = FIRST_WAIT;
      this.status("open");
    }
    this.handlers.get(message.type)?.(message);
  }

  lost(code) {
    if (this.closed) return;
    if (code === TAKEN) {
      // A tab that was copied has its token too: this page takes a room of its own when it is asked to.
      this.token = "";
      sessionStorage.removeItem(`token-${this.room}`);
      this.status("taken");
      return;
    }
    this.status("lost");
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }
}
