import { readFileSync } from 'node:fs'
import path from 'node:path'
import { config } from '@/lib/kernel/config'

const EDGE = 240
const FILE_PALETTE: PaletteName = 'lagoon'

/** Each is a file in `motifs/`. A design is picked by position, so new ones go to the end. */
const FACES = [
  'editor',
  'artist',
  'dancer',
  'gentleman',
  'neighbour',
  'professor',
  'cook',
  'detective',
  'runner',
  'negotiator',
  'hacker',
  'elder',
] as const
const THINGS = [
  'owl',
  'fox',
  'raven',
  'duck',
  'octopus',
  'tortoise',
  'cat',
  'bear',
  'whale',
  'parrot',
  'wren',
  'hedgehog',
  'robot',
  'knight',
  'telescope',
  'laurel',
  'sphinx',
  'wizard',
  'sun',
  'moon',
  'lighthouse',
  'plant',
  'balloon',
  'book',
  'lantern',
] as const

export const MOTIF_NAMES = [...FACES, ...THINGS]
export type MotifName = (typeof MOTIF_NAMES)[number]

const PALETTES = {
  dawn: palette('#ffd9c2', '#f7a99b', '#ffeedd', '#d9694f', '#ae4a3c', '#f6b79b', '#fbe3a1', '#3d2226'),
  lagoon: palette('#a9e0dc', '#4fa7ab', '#d3f3ec', '#1f7d86', '#145a66', '#7cc6c2', '#ffcf70', '#0f2f38'),
  forest: palette('#cfe3b4', '#7fa870', '#eaf3d3', '#4a7a4d', '#315a3c', '#a5c98a', '#f2b65a', '#1d3024'),
  dusk: palette('#cdbdf0', '#8477c4', '#ecdff9', '#5a4a9c', '#403277', '#a795dd', '#ffb88c', '#231a45'),
  ember: palette('#ffcf9e', '#ee8a4f', '#ffe9c7', '#d5572b', '#a53c20', '#f6a56b', '#ffe08a', '#3c1a12'),
  sand: palette('#f3e2c0', '#d9b98a', '#fcf3de', '#b07d48', '#855a33', '#dcb683', '#4f9a94', '#3a2718'),
  frost: palette('#dcebf7', '#98bfdf', '#f6fbff', '#4c7fb0', '#345d88', '#a9cbe6', '#f4907a', '#16293f'),
  plum: palette('#efc4d8', '#b96f9b', '#fbe3ee', '#8a3f6d', '#652a50', '#cf8fb4', '#f7cf6e', '#33132a'),
  meadow: palette('#e6efab', '#a9c85f', '#f7fad9', '#6d9433', '#4c6c25', '#bfd879', '#e9785c', '#24330f'),
  night: palette('#3f4f86', '#1d2650', '#5f6fae', '#7f90d6', '#5565ac', '#b9c4f2', '#ffd77a', '#10152f'),
  clay: palette('#f0c9b0', '#c9896b', '#fbe6d8', '#9c5a43', '#743f30', '#d49a80', '#6fa8a0', '#341b14'),
  honey: palette('#ffe6a3', '#f0b545', '#fff5d3', '#c98416', '#99610d', '#f2c568', '#5b7fb5', '#3a260a'),
} as const satisfies Record<string, Palette>

type PaletteName = keyof typeof PALETTES
export const PALETTE_NAMES = Object.keys(PALETTES) as PaletteName[]

export type PortraitDesign = { motif: MotifName; palette: PaletteName }

export const isMotif = (name: string): name is MotifName => (MOTIF_NAMES as string[]).includes(name)
export const isPalette = (name: string): name is PaletteName => Object.hasOwn(PALETTES, name)

export function designOf(slug: string): PortraitDesign {
  const random = seeded(`design ${slug}`)
  return { motif: pick(THINGS, random), palette: pick(PALETTE_NAMES, random) }
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
    recoloured(motifOf(motif), colours),
    '</svg>',
  ].join('')
}

const motifs = new Map<MotifName, string>()

function motifOf(name: MotifName): string {
  let shapes = motifs.get(name)
  if (shapes === undefined) {
    const file = path.join(config().root, 'lib', 'services', 'characters', 'motifs', `${name}.svg`)
    shapes = readFileSync(file, 'utf8')
      .replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
      .replaceAll('>\n<', '><')
      .trim()
    motifs.set(name, shapes)
  }
  return shapes
}

function recoloured(shapes: string, palette: Palette): string {
  const to = new Map(coloursOf(PALETTES[FILE_PALETTE]).map((colour, at) => [colour, coloursOf(palette)[at]]))
  return shapes.replace(/#[0-9a-f]{6}\b/g, (colour) => to.get(colour) ?? colour)
}

const coloursOf = ({ sky, glow, main, dark, light, accent, ink }: Palette): string[] => [
  ...sky,
  glow,
  main,
  dark,
  light,
  accent,
  ink,
]

function ground({ sky: [top, bottom], glow }: Palette, random: () => number): string {
  const between = (min: number, max: number) => Math.round(min + random() * (max - min))
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
    shape(
      `M0 ${hill}Q60 ${hill - between(16, 34)} 120 ${hill}T${EDGE} ${hill - between(0, 14)}V${EDGE}H0Z`,
      bottom,
      'opacity=".8"',
    ),
  ].join('')
}

const circle = (x: number, y: number, r: number, fill: string, more: string): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}" ${more}/>`

const shape = (d: string, fill: string, more: string): string => `<path d="${d}" fill="${fill}" ${more}/>`

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T

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

type Palette = {
  sky: readonly [top: string, bottom: string]
  glow: string
  main: string
  dark: string
  light: string
  accent: string
  ink: string
}

function palette(
  top: string,
  bottom: string,
  glow: string,
  main: string,
  dark: string,
  light: string,
  accent: string,
  ink: string,
): Palette {
  return { sky: [top, bottom], glow, main, dark, light, accent, ink }
}
