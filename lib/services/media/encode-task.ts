/** Sound to write: signed 16-bit samples of one channel. A part is one of several that make up a stream. */
export type EncodeTask = { bytes: Uint8Array; rate: number; format: 'mp3' | 'opus' | 'aac'; isPart: boolean }
export type EncodeResult = { bytes: Uint8Array }
