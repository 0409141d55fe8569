import { ANIMALS } from '@/lib/services/characters/portrait/animals'
import { OBJECTS } from '@/lib/services/characters/portrait/objects'
import { PALETTES, type Palette, type PaletteName } from '@/lib/services/characters/portrait/palettes'
import { PEOPLE } from '@/lib/services/characters/portrait/people'
import { circle, EDGE, path } from '@/lib/services/characters/portrait/shapes'

const MOTIFS = { ...PEOPLE, ...ANIMALS, ...OBJECTS }
export type MotifName = keyof typeof MOTIFS

export const MOTIF_NAMES = Object.keys(MOTIFS) as MotifName[]
export const PALETTE_NAMES = Object.keys(PALETTES) as PaletteName[]

/** What a portrait shows, and in which colours. */
export type PortraitDesign = { motif: MotifName; palette: PaletteName }

export const isMotif = (name: string): name is MotifName => Object.hasOwn(MOTIFS, name)
export const isPalette = (name: string): name is PaletteName => Object.hasOwn(PALETTES, name)

/** A design for a character that has none: the same for the same slug. Faces are left to those who chose them. */
export function designOf(slug: string): PortraitDesign {
  const random = seeded(`design ${slug}`)
  const motifs = MOTIF_NAMES.filter((name) => !Object.hasOwn(PEOPLE, name))
  return { motif: pick(motifs, random), palette: pick(PALETTE_NAMES, random) }
}

/**
 * A square portrait as SVG: drawn from shapes alone, without text or references to anything outside it, on a ground of its
 * own, so that it looks the same on a light and a dark page. The same slug and design always give the same bytes.
 */
export function drawPortrait(slug: string, { motif, palette }: PortraitDesign): string {
  const colours = PALETTES[palette]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${EDGE} ${EDGE}" width="${EDGE}" height="${EDGE}">`,
    ground(colours, seeded(`ground ${slug}`)),
    MOTIFS[motif](colours),
    '</svg>',
  ].join('')
}

/** The sky with a glow behind the subject, and something small in it that differs from slug to slug. */
function ground({ sky: [top, bottom], glow }: Palette, random: () => number): string {
  const between = (least: number, most: number) => Math.round(least + random() * (most - least))
  const gradient = `<linearGradient id="s" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>`
  const x = between(104, 136)
  const dots = Array.from({ length: 7 }, () => {
    const isLeft = random() < 0.5
    return circle(isLeft ? between(10, 60) : between(180, 230), between(12, 150), between(2, 4), glow, 'opacity=".8"')
  })
  const hill = between(178, 200)
  return [
    `<defs>${gradient}</defs><path d="M0 0h${EDGE}v${EDGE}H0Z" fill="url(#s)"/>`,
    circle(x, between(96, 116), between(86, 98), glow, 'opacity=".55"'),
    ...dots,
    path(
      `M0 ${hill}Q60 ${hill - between(16, 34)} 120 ${hill}T${EDGE} ${hill - between(0, 14)}V${EDGE}H0Z`,
      bottom,
      'opacity=".8"',
    ),
  ].join('')
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T

/** Numbers from 0 to 1 that depend on the text alone (FNV-1a, then xorshift). */
function seeded(text: string): () => number {
  let state = 0x811c9dc5
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  state ||= 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}
