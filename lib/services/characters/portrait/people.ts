import type { Palette } from '@/lib/services/characters/portrait/palettes'
import { both, box, circle, eyes, line, oval, path } from '@/lib/services/characters/portrait/shapes'

type Skin = { tone: string; shade: string; lip: string }

const SKINS = {
  fair: { tone: '#f6d3b8', shade: '#e3b393', lip: '#b9584c' },
  tan: { tone: '#e3ad80', shade: '#c98d60', lip: '#9c4a3a' },
  brown: { tone: '#b97b52', shade: '#97603d', lip: '#783226' },
  deep: { tone: '#83523a', shade: '#67402d', lip: '#56231d' },
} as const satisfies Record<string, Skin>

const HAIR = {
  black: '#2a2430',
  brown: '#5c3b2a',
  auburn: '#94432a',
  blond: '#d9a953',
  grey: '#b9bcc6',
  white: '#eceef2',
}

/** Somebody from the chest up. What is `behind` is drawn before the body, `over` after the face. */
type Person = {
  skin: Skin
  hair: string
  behind?: string
  over: string
  clothes: string
  brow?: 'level' | 'raised' | 'soft'
  mouth?: 'smile' | 'grin' | 'calm'
}

export const PEOPLE = {
  editor: (p: Palette) =>
    person(p, {
      skin: SKINS.fair,
      hair: HAIR.auburn,
      behind: circle(120, 44, 25, HAIR.auburn) + oval(120, 96, 56, 54, HAIR.auburn),
      clothes: coat(p) + path('M92 178 120 214 148 178 134 172H106Z', '#fff') + box(112, 196, 16, 10, 5, p.accent),
      over:
        path(
          'M68 104C64 58 96 46 120 46s56 12 52 58c-6-22-18-34-34-38-14 14-46 16-58 20-6 4-10 10-12 18Z',
          HAIR.auburn,
        ) +
        path('M96 34c4-12 28-18 42-6-14-2-30 0-42 6Z', '#fff', 'opacity=".22"') +
        glasses(p.ink),
      brow: 'raised',
    }),
  artist: (p: Palette) =>
    person(p, {
      skin: SKINS.tan,
      hair: HAIR.brown,
      behind: oval(120, 104, 52, 50, HAIR.brown),
      clothes: stripes(p) + path('M76 184c22 26 66 26 88 0l6 14c-24 30-76 30-100 0Z', p.accent),
      over:
        path('M70 92c0-30 28-38 50-38s50 8 50 38c-8-10-14-14-20-16-20 6-56 6-70 2-4 4-7 8-10 14Z', HAIR.brown) +
        path('M58 72c-6-34 40-52 76-46 36 5 56 26 46 44-30-14-84-14-122 2Z', p.main) +
        path('M134 26c36 5 56 26 46 44-12-6-28-9-44-10 10-10 8-24-2-34Z', p.dark) +
        box(126, 14, 8, 16, 4, p.dark) +
        line('M104 136q8-6 16 0q8-6 16 0', HAIR.brown, 5),
      mouth: 'calm',
    }),
  dancer: (p: Palette) =>
    person(p, {
      skin: SKINS.brown,
      hair: HAIR.black,
      behind: path('M62 112C54 40 186 40 178 112c10 30 6 62-4 78H66c-10-16-14-48-4-78Z', HAIR.black),
      clothes: dress(p),
      over:
        path('M74 108c-2-40 22-60 46-60 26 0 48 20 46 60-6-18-18-30-32-36-10 18-40 24-60 36Z', HAIR.black) +
        flower(164, 78, p.accent, '#fff') +
        both(circle(72, 134, 5, p.accent)),
      mouth: 'grin',
    }),
  gentleman: (p: Palette) =>
    person(p, {
      skin: SKINS.fair,
      hair: HAIR.grey,
      behind: both(path('M70 88c-6 14-6 30 0 40l14-2V84Z', HAIR.grey)),
      clothes: suit(p),
      over:
        path('M50 74c0-8 140-8 140 0 0 12-140 12-140 0Z', p.dark) +
        path('M74 70c-2-34 14-50 46-50s48 16 46 50c-26 8-66 8-92 0Z', p.main) +
        path('M74 60c28 8 64 8 92 0v10c-26 8-66 8-92 0Z', p.accent) +
        both(path('M120 130c10-6 26-4 34 8-12 6-28 4-34-2Z', HAIR.grey)),
      brow: 'level',
      mouth: 'calm',
    }),
  neighbour: (p: Palette) =>
    person(p, {
      skin: SKINS.fair,
      hair: HAIR.black,
      behind: path('M66 108c-4-74 112-74 108 0l4 46c-10 10-24 10-32 4H94c-8 6-22 6-32-4Z', HAIR.black),
      clothes:
        coat(p) +
        path('M86 180 120 236 154 180 166 186 128 240H112L74 186Z', p.light) +
        path('M86 180 120 236 128 240H112L74 186Z', p.accent),
      over:
        path('M72 106c-2-40 24-54 48-54s50 14 48 54c-4-14-6-22-10-28-22 6-56 6-76 0-4 6-6 14-10 28Z', HAIR.black) +
        path('M92 66c12-8 36-10 50-4-16 0-34 0-50 4Z', '#fff', 'opacity=".25"'),
      brow: 'soft',
    }),
  professor: (p: Palette) =>
    person(p, {
      skin: SKINS.brown,
      hair: HAIR.white,
      behind: [
        [66, 92, 24],
        [74, 64, 24],
        [98, 46, 24],
        [128, 40, 26],
        [158, 54, 25],
        [174, 84, 25],
        [70, 116, 18],
        [172, 112, 18],
      ]
        .map(([x, y, r]) => circle(x!, y!, r!, HAIR.white))
        .join(''),
      clothes: suit(p),
      over:
        path('M80 84c6-22 24-30 40-30s36 8 40 30c-20-14-60-14-80 0Z', HAIR.white) +
        glasses(p.ink, true) +
        path('M100 134c6-8 34-8 40 0-6 4-14 3-20 0-6 3-14 4-20 0Z', HAIR.white),
      brow: 'raised',
      mouth: 'calm',
    }),
  cook: (p: Palette) =>
    person(p, {
      skin: SKINS.deep,
      hair: HAIR.black,
      behind: oval(120, 98, 50, 48, HAIR.black),
      clothes:
        path(BODY, '#f7f4ee') +
        path('M120 186v54h86c0-44-28-62-62-64Z', '#e4ded3') +
        path('M88 178c10 22 54 22 64 0l8 8c-12 28-68 28-80 0Z', p.main) +
        [204, 226].map((y) => circle(106, y, 4, p.accent) + circle(134, y, 4, p.accent)).join(''),
      over:
        path('M78 66c-22-6-20-40 6-40 8-18 64-18 72 0 26 0 28 34 6 40v20H78Z', '#fbf9f4') +
        path('M148 26c2 2 6 0 8 0 26 0 28 34 6 40v20h-22c8-16 14-40 8-60Z', '#e4ded3') +
        path('M78 76h84v14c-26-6-58-6-84 0Z', '#efe9de'),
      mouth: 'grin',
    }),
  detective: (p: Palette) =>
    person(p, {
      skin: SKINS.tan,
      hair: HAIR.black,
      behind: oval(120, 100, 50, 50, HAIR.black),
      clothes:
        path(BODY, p.main) +
        path('M120 180v60h86c0-44-28-62-62-64Z', p.dark) +
        both(path('M120 216 92 174 66 188 92 222Z', p.light)) +
        path('M112 196h16l-4 44h-8Z', p.accent),
      over:
        path('M40 84c20-14 44-18 80-18s60 4 80 18c-30 12-130 12-160 0Z', p.dark) +
        path('M72 72c2-38 20-48 34-48 8 0 10 4 14 4s6-4 14-4c14 0 32 10 34 48-28 8-68 8-96 0Z', p.main) +
        path('M72 64c28 8 68 8 96 0v9c-28 8-68 8-96 0Z', p.ink),
      brow: 'level',
      mouth: 'calm',
    }),
  runner: (p: Palette) =>
    person(p, {
      skin: SKINS.deep,
      hair: HAIR.black,
      behind: [
        [78, 70, 26],
        [104, 48, 28],
        [138, 48, 28],
        [164, 72, 26],
        [120, 60, 30],
      ]
        .map(([x, y, r]) => circle(x!, y!, r!, HAIR.black))
        .join(''),
      clothes:
        path(BODY, SKINS.deep.tone) +
        path('M72 186c8-4 16-7 22-8 6 20 46 20 52 0 6 1 14 4 22 8l6 54H66Z', p.main) +
        path('M120 194c12 0 22-6 26-16 6 1 14 4 22 8l6 54h-54Z', p.dark) +
        path('M66 226h108l1 8H65Z', p.accent),
      over: path('M78 80c20-14 64-14 84 0l1 13c-22-13-64-13-86 0Z', p.accent),
      mouth: 'grin',
      brow: 'raised',
    }),
  negotiator: (p: Palette) =>
    person(p, {
      skin: SKINS.brown,
      hair: HAIR.black,
      behind: path('M64 118c-8-88 120-88 112 0l-2 36c-8 10-22 8-28 0H94c-6 8-20 10-28 0Z', HAIR.black),
      clothes: suit(p),
      over:
        path(
          'M74 104c-4-40 20-54 46-54 28 0 50 16 46 54-4-16-8-24-14-30-22 2-40-2-48-10-6 16-20 26-30 40Z',
          HAIR.black,
        ) + both(circle(72, 132, 4.5, p.accent)),
      brow: 'level',
    }),
  hacker: (p: Palette) =>
    person(p, {
      skin: SKINS.tan,
      hair: HAIR.brown,
      behind: path('M58 118c-8-90 132-90 124 0v12H58Z', p.dark),
      clothes:
        path(BODY, p.main) +
        path('M120 182v58h86c0-44-28-62-62-64Z', p.dark) +
        path('M78 182c14-8 28 10 42 10s28-18 42-10c4 20-20 32-42 32s-46-12-42-32Z', p.light) +
        both(line('M104 208v26', '#fff', 4)),
      over:
        path(
          'M74 100c-4-30 18-48 46-48 30 0 50 18 46 48-8-8-10-16-12-24-8 6-14 8-22 8 2-4 4-6 4-10-14 12-38 16-54 14-4 4-6 8-8 12Z',
          HAIR.brown,
        ) +
        line('M66 104C60 30 180 30 174 104', p.ink, 8) +
        both(box(56, 96, 20, 38, 10, p.ink) + box(60, 102, 6, 26, 3, p.accent)),
    }),
  elder: (p: Palette) =>
    person(p, {
      skin: SKINS.tan,
      hair: HAIR.grey,
      behind:
        path('M62 118C48 32 192 32 178 118l8 68H54Z', p.main) + path('M120 54c52 0 66 34 58 64l8 68h-46Z', p.dark),
      clothes:
        path(BODY, p.main) +
        path('M120 180v60h86c0-44-28-62-62-64Z', p.dark) +
        path('M72 168c14 34 82 34 96 0l10 18c-18 40-98 40-116 0Z', p.light),
      over:
        path('M74 104c-4-36 22-48 46-48s50 12 46 48c-6-16-14-26-22-30-20 4-36 2-48 0-8 6-16 14-22 30Z', HAIR.grey) +
        line('M70 112C58 30 182 30 170 112', p.light, 7) +
        both(line('M88 122q-5 3-8 1', SKINS.tan.shade, 2.5)),
      brow: 'soft',
    }),
} as const satisfies Record<string, (palette: Palette) => string>

const BODY = 'M34 240c0-44 38-64 86-64s86 20 86 64Z'
const FACE = 'M76 100c0-30 18-48 44-48s44 18 44 48c0 36-20 58-44 58s-44-22-44-58Z'

function person(
  p: Palette,
  { skin, behind = '', over, clothes, hair, brow = 'soft', mouth = 'smile' }: Person,
): string {
  return [
    behind,
    path('M102 140h36v34c0 12-36 12-36 0Z', skin.shade),
    clothes,
    both(oval(76, 110, 9, 12, skin.shade)),
    path(FACE, skin.tone),
    path('M132 53c20 6 32 22 32 47 0 36-20 58-44 58 22-14 34-60 12-105Z', skin.shade, 'opacity=".5"'),
    both(oval(96, 128, 9, 6, skin.lip, 'opacity=".22"')),
    eyes(18, 109, 5.2, p.ink),
    brows(brow, hair === '#eceef2' || hair === '#b9bcc6' ? '#8d8f99' : hair),
    line('M121 114c3 5 4 9 0 11h-4', skin.shade, 3),
    MOUTHS[mouth](skin),
    over,
  ].join('')
}

const MOUTHS = {
  smile: ({ lip }: Skin) => line('M107 138c7 8 19 8 26 0', lip, 3.6),
  grin: ({ lip }: Skin) =>
    path('M103 135c8 3 26 3 34 0-2 16-32 16-34 0Z', lip) + path('M106 136.500c8 2 20 2 28 0-1 5-27 5-28 0Z', '#fff'),
  calm: ({ lip }: Skin) => line('M110 140c6 3 14 3 20 0', lip, 3.4),
}

function brows(kind: 'level' | 'raised' | 'soft', colour: string): string {
  const shapes = { level: 'M92 98c6-3 12-3 18-1', raised: 'M92 94c5-5 12-6 18-3', soft: 'M92 97c5-5 12-5 17-2' }
  return both(line(shapes[kind], colour, 4))
}

const coat = (p: Palette) => path(BODY, p.main) + path('M120 180v60h86c0-44-28-62-62-64Z', p.dark)

function suit(p: Palette): string {
  return (
    coat(p) +
    path('M94 176 120 224 146 176Z', '#fff') +
    path('M114 186h12l4 38-10 16-10-16Z', p.accent) +
    both(path('M92 174 118 240H92L76 196Z', p.light))
  )
}

function stripes(p: Palette): string {
  const lines = 'M58 202q62-14 124 0M46 222q74-16 148 0M40 240q80-14 160 0'
  return path(BODY, '#f6f3ec') + path('M120 180v60h86c0-44-28-62-62-64Z', '#e2ddd2') + line(lines, p.ink, 6)
}

function dress(p: Palette): string {
  return (
    path(BODY, SKINS.brown.tone) +
    path('M44 214c20-22 50-10 76-10s56-12 76 10c6 8 10 18 10 26H34c0-8 4-18 10-26Z', p.main) +
    path('M120 204c26 0 56-12 76 10 6 8 10 18 10 26h-86Z', p.dark) +
    line('M46 216q12 14 24 2q12 12 25 0q12 12 25 0q12 12 25 0q12 12 25 0q12 12 24-2', p.light, 6)
  )
}

function glasses(ink: string, isRound = false): string {
  const rim = isRound
    ? circle(102, 110, 14, '#fff', `fill-opacity=".25" stroke="${ink}" stroke-width="3.4"`)
    : box(87, 98, 29, 24, 9, '#fff', `fill-opacity=".22" stroke="${ink}" stroke-width="3.4"`)
  return both(rim) + line('M116 108q4-3 8 0M87 106l-9-3M153 106l9-3', ink, 3.4)
}

function flower(x: number, y: number, petal: string, heart: string): string {
  const petals = [0, 72, 144, 216, 288]
    .map((angle) => oval(x, y - 10, 8, 11, petal, `transform="rotate(${angle} ${x} ${y})"`))
    .join('')
  return petals + circle(x, y, 6, heart)
}
