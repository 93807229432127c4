/**
 * sha1: SHA-1 of bytes, for name-based UUIDs only (RFC 9562 §5.5 asks for it); not for security.
 *
 * Takes        any bytes.
 * Gives        20 bytes.
 * Pure, total  Written here because core imports nothing, and because a browser must compute the same identity.
 * Source       RFC 3174.
 */
export function sha1(message: Uint8Array): Uint8Array {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const padded = pad(message);
  for (let block = 0; block < padded.byteLength; block += blockBytes) addBlock(state, padded, block);

  const digest = new DataView(new ArrayBuffer(20));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

const blockBytes = 64;

/** The message, a one bit, zeros, and the message's length in bits as a 64-bit number. */
function pad(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / blockBytes) * blockBytes);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n);
  return view;
}

function addBlock(state: number[], padded: DataView, offset: number): void {
  const w = new DataView(new ArrayBuffer(80 * 4));
  for (let t = 0; t < 80; t++) {
    const word =
      t < 16
        ? padded.getUint32(offset + t * 4)
        : rotateLeft(at(w, t - 3) ^ at(w, t - 8) ^ at(w, t - 14) ^ at(w, t - 16), 1);
    w.setUint32(t * 4, word);
  }

  const [h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0] = state;
  let [a, b, c, d, e] = [h0, h1, h2, h3, h4];
  for (let t = 0; t < 80; t++) {
    const next = (rotateLeft(a, 5) + mix(t, b, c, d) + e + at(w, t)) >>> 0;
    [a, b, c, d, e] = [next, a, rotateLeft(b, 30), c, d];
  }
  [a, b, c, d, e].forEach((word, index) => {
    state[index] = ((state[index] ?? 0) + word) >>> 0;
  });
}

/** The round's function of three words, with its constant added. */
function mix(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

const at = (words: DataView, index: number): number => words.getUint32(index * 4);
const rotateLeft = (word: number, bits: number): number => ((word << bits) | (word >>> (32 - bits))) >>> 0;
