/** A piece of sound, mono at 16 kHz, no longer than the model can hear at once; and what was said. */
export type TranscriptionInput = { samples: Float32Array }
export type TranscriptionOutput = { text: string }

export const SOUND_RATE = 16_000
