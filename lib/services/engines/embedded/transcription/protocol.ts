/**
 * A piece of sound, mono at 16 kHz, no longer than the model can hear at once, and what the speaker is said to speak (ISO
 * 639-1); what was said, and in which language, from models that know several.
 */
export type TranscriptionInput = { samples: Float32Array; language?: string }
export type TranscriptionOutput = { text: string; language?: string }

export const SOUND_RATE = 16_000
