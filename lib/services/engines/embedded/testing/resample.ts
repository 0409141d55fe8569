// 24 kHz → 16 kHz: each sample is the mean of one and a half. Good enough for speech.
export function to16kHz(samples: Float32Array): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / 3) * 2)
  for (let index = 0; index < out.length; index += 2) {
    const [one = 0, two = 0, three = 0] = samples.subarray(index * 1.5, index * 1.5 + 3)
    out[index] = (2 * one + two) / 3
    out[index + 1] = (two + 2 * three) / 3
  }
  return out
}
