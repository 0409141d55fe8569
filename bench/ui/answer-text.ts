/** One round of what answers are made of: a heading, paragraphs, nested lists, code, a table, a quote. */
const ROUND = `## Tides, round {n}

The sea rises and falls twice a day because the Earth turns under two bulges of water. One faces the Moon, the other is on the far side, where the pull is weakest.

The Sun adds to it or takes from it. When both pull along one line, the **spring tide** is higher; when they pull across, the *neap tide* is lower, see [the almanac](https://example.org/almanac).

- Water follows the pull
  - most where the Moon stands
  - least where it is far
- Land holds it back
  1. bays gather it
  2. straits delay it

\`\`\`ts
type Tide = { at: Date; heightMetres: number }

export function nextHighTide(tides: readonly Tide[], now: Date): Tide | undefined {
  let next: Tide | undefined
  for (const tide of tides) {
    if (tide.at <= now) continue
    if (next === undefined || tide.at < next.at) next = tide
  }
  return next
}

const hours = (from: Date, until: Date): number => {
  return (until.getTime() - from.getTime()) / 3_600_000
}
// A high tide comes about every 12.4 hours.
\`\`\`

| Place | Range | Kind |
|---|---:|---|
| Bay of Fundy | 16 m | funnel |
| Kiel | 0.1 m | enclosed |

> Time and tide wait for no man, and neither does the last ferry.

`

/** An answer of about `chars` characters that holds everything an answer can. */
export function answerText(chars: number): string {
  let text = ''
  for (let n = 1; text.length < chars; n++) text += ROUND.replace('{n}', String(n))
  return text.slice(0, chars)
}
