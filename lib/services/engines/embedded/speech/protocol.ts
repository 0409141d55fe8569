/** A sentence or a part of one, and who says it; the sound is mono at 24 kHz, empty when there is nothing to say. */
export type SpeechInput = { text: string; voice: string; speed: number }
export type SpeechOutput = { samples: Float32Array }
