import { type Draw, drawOf } from '@/e2e/servers/fuzz/draw'

const LIKELY = 0.5

/** Draws what is the same each time: the first of all choices, and nothing that may be left out. */
export const LEAST: Draw = {
  below: () => 0,
  chance: (share) => share > LIKELY,
  pick: (choices) => choices[0]!,
  some: drawOf(1, 0).some,
}
