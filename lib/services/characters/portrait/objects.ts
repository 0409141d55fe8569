import type { Palette } from '@/lib/services/characters/portrait/palettes'
import { both, box, circle, eyes, line, oval, path } from '@/lib/services/characters/portrait/shapes'

export const OBJECTS = {
  robot: (p: Palette) =>
    [
      line('M120 60V34', p.dark, 7),
      circle(120, 28, 10, p.accent),
      path('M42 240c0-34 20-54 50-54h56c30 0 50 20 50 54Z', p.main),
      path('M120 186h28c30 0 50 20 50 54h-58Z', p.dark, 'opacity=".7"'),
      box(98, 204, 44, 24, 8, p.ink),
      line('M106 216h6l4-6 6 12 4-6h8', p.accent, 3),
      box(104, 168, 32, 24, 6, p.dark),
      both(box(34, 98, 16, 44, 8, p.dark)),
      box(46, 56, 148, 120, 34, p.main),
      path('M150 56h10c19 0 34 15 34 34v52c0 19-15 34-34 34h-40c40-10 54-80 30-120Z', p.dark, 'opacity=".55"'),
      box(62, 76, 116, 72, 24, p.ink),
      box(66, 80, 108, 26, 20, '#fff', 'opacity=".08"'),
      both(box(86, 96, 16, 24, 8, p.accent)),
      line('M106 130q14 9 28 0', p.accent, 5),
      both(circle(64, 162, 4, p.light)),
    ].join(''),
  knight: (p: Palette) =>
    [
      path('M46 240c0-16 8-24 20-26h108c12 2 20 10 20 26Z', p.dark),
      box(60, 196, 120, 24, 12, p.main),
      path(
        'M72 200c0-50 40-54 36-88-10 14-30 22-44 22-14 0-26-14-18-28l40-48c0-12 2-22 8-30 6 6 10 10 12 16 50-6 84 34 78 92-2 26-10 42-10 64Z',
        p.main,
      ),
      path('M134 46c34 8 54 44 50 90-2 26-10 42-10 64h-40c20-40 26-110 0-154Z', p.dark, 'opacity=".75"'),
      line('M122 60c26 14 36 44 34 80M112 76c20 12 28 34 28 62', p.light, 5),
      circle(98, 84, 7, p.ink),
      circle(95.5, 81.5, 2.4, '#fff'),
      circle(58, 118, 3.6, p.ink),
      line('M62 130q12 2 20-6', p.ink, 3.6),
      box(76, 176, 96, 12, 6, p.accent),
    ].join(''),
  telescope: (p: Palette) =>
    [
      line('M120 150 74 236M120 150l46 86M120 150v86', p.dark, 10),
      circle(120, 150, 14, p.ink),
      `<g transform="rotate(-32 120 130)">${[
        box(28, 104, 76, 46, 10, p.dark),
        box(20, 110, 22, 34, 8, p.ink),
        box(92, 96, 84, 62, 12, p.main),
        box(92, 128, 84, 30, 12, p.dark, 'opacity=".6"'),
        box(164, 88, 34, 78, 12, p.accent),
        box(92, 104, 62, 8, 4, p.light),
        oval(198, 127, 7, 36, p.glow),
      ].join('')}</g>`,
      star(196, 40, 15, p.accent),
      star(48, 60, 9, p.accent),
      star(92, 34, 6, '#fff'),
    ].join(''),
  laurel: (p: Palette) =>
    [
      path('M56 240c0-18 12-28 26-30h76c14 2 26 12 26 30Z', '#d9d3c7'),
      path('M96 160h48v56c0 8-48 8-48 0Z', '#cfc8ba'),
      path('M70 104c0-38 20-62 50-62s50 24 50 62c0 44-22 72-50 72s-50-28-50-72Z', '#efeae0'),
      path('M134 44c22 8 36 30 36 60 0 44-22 72-50 72 30-24 38-92 14-132Z', '#cfc8ba'),
      path(
        'M72 130c4 40 24 60 48 60s44-20 48-60c-10 12-20 16-28 12-6-4-14-4-20 0-6-4-14-4-20 0-8 4-18 0-28-12Z',
        '#dcd5c8',
      ),
      line('M92 160q4 10 12 14M120 168v12M148 160q-4 10-12 14', '#bdb5a6', 4),
      line('M90 96c6-5 14-5 22 0M128 96c8-5 16-5 22 0', '#a79f90', 4.5),
      both(oval(101, 106, 8, 5.5, '#b9b1a2')),
      line('M120 100v22c-2 4-6 4-8 3', '#b9b1a2', 4),
      line('M108 140c8 4 16 4 24 0', '#a79f90', 4),
      path('M72 92c-2-40 22-58 48-58s50 18 48 58c-8-18-18-24-28-26-14 8-32 6-42 2-10 4-18 12-26 24Z', '#dcd5c8'),
      both(leaves(p)),
    ].join(''),
  sphinx: (p: Palette) =>
    [
      path('M0 240v-24l70-60 60 40 40-24 70 50v18Z', p.dark, 'opacity=".35"'),
      path('M40 240c4-40 24-60 40-74V84h80v82c16 14 36 34 40 74Z', p.main),
      path('M120 84h40v82c16 14 36 34 40 74h-54Z', p.dark, 'opacity=".6"'),
      both(
        path('M84 62c-26 20-38 70-38 116 18 6 32 4 44-4V96Z', p.accent) +
          line('M62 104h24M54 126h34M50 148h38M49 168h36', p.dark, 6),
      ),
      path('M78 96c0-30 16-46 42-46s42 16 42 46c0 42-18 72-42 72s-42-30-42-72Z', p.light),
      path('M130 52c20 5 32 20 32 44 0 42-18 72-42 72 26-24 32-84 10-116Z', p.main, 'opacity=".55"'),
      path('M76 84c2-34 22-48 44-48s42 14 44 48c-26-16-62-16-88 0Z', p.accent),
      path('M112 40h16v30c-5 6-11 6-16 0Z', p.dark),
      both(
        path('M90 106c8-8 18-8 24 0-8 6-18 6-24 0Z', '#fff') +
          circle(102, 106, 4.6, p.ink) +
          line('M88 98q12-8 24 0M88 107l-8 6', p.ink, 3.6),
      ),
      line('M120 112c2 6 3 10-1 13h-4', p.dark, 3.4),
      line('M108 142c8 4 16 2 24-3', p.ink, 3.8),
      box(114, 166, 12, 34, 6, p.accent),
    ].join(''),
  wizard: (p: Palette) =>
    [
      path('M36 240c4-40 36-60 84-60s80 20 84 60Z', p.main),
      path('M120 180c48 0 80 20 84 60h-60c4-24-6-46-24-60Z', p.dark),
      circle(120, 126, 48, '#f1cda9'),
      path('M138 82c18 7 30 24 30 44 0 26-22 48-48 48 30-18 38-62 18-92Z', '#d9ac83', 'opacity=".6"'),
      path('M66 122c-8 60 20 108 54 118 34-10 62-58 54-118-8 20-26 26-54 26s-46-6-54-26Z', '#f3f1f6'),
      path('M174 122c8 60-20 108-54 118 26-30 40-66 40-98 6-4 11-11 14-20Z', '#d6d3e0'),
      line('M98 176c2 20 8 36 16 46M122 172v44M144 178c-2 16-6 28-12 38', '#d6d3e0', 4),
      both(path('M120 150c-14-8-34-6-42 8 14 8 34 6 42-2Z', '#fff')),
      eyes(18, 122, 5.2, p.ink),
      both(line('M90 110q12-8 22 0', '#f3f1f6', 7)),
      oval(120, 136, 9, 7, '#e5b48c'),
      path('M34 98c18-14 50-20 86-20s68 6 86 20c-30 14-142 14-172 0Z', p.dark),
      path('M70 92C78 50 92 22 138 4c-6 14-2 24 8 30 14 16 20 36 24 58-30 10-70 10-100 0Z', p.main),
      path(
        'M138 4c-6 14-2 24 8 30 14 16 20 36 24 58-10 3-22 5-34 6 4-30 0-60-12-84 4-4 9-7 14-10Z',
        p.dark,
        'opacity=".7"',
      ),
      path('M71 84c30 10 68 10 98 0l2 10c-30 9-72 9-102 0Z', p.accent),
      star(112, 56, 10, p.accent),
    ].join(''),
  sun: (p: Palette) =>
    [
      Array.from({ length: 16 }, (_, index) =>
        path(
          index % 2 ? 'M110 36 120 14 130 36Z' : 'M108 38 120 2 132 38Z',
          index % 2 ? p.main : '#ffd25e',
          `transform="rotate(${index * 22.5} 120 120)"`,
        ),
      ).join(''),
      circle(120, 120, 76, '#ffcf57'),
      path('M152 51c26 12 44 38 44 69 0 42-34 76-76 76 44-22 60-102 32-145Z', '#f3a73c', 'opacity=".75"'),
      path('M60 104c6-26 26-44 52-48-20 10-36 26-52 48Z', '#fff', 'opacity=".45"'),
      eyes(26, 114, 8, p.ink),
      both(line('M82 97q12-9 24-2', p.ink, 4.5) + oval(76, 138, 13, 8, '#ee6a45', 'opacity=".5"')),
      path('M98 140c14 6 30 6 44 0-2 24-42 24-44 0Z', p.ink),
      path('M106 152c8-4 20-4 28 0-4 10-24 10-28 0Z', '#ee6a45'),
    ].join(''),
  moon: (p: Palette) =>
    [
      circle(120, 120, 84, p.light),
      path('M160 46c30 16 44 44 44 74 0 46-38 84-84 84 50-18 76-100 40-158Z', p.main, 'opacity=".6"'),
      [
        [80, 76, 13],
        [172, 100, 9],
        [158, 172, 14],
        [70, 158, 8],
      ]
        .map(([x, y, r]) => circle(x!, y!, r!, p.main, 'opacity=".45"'))
        .join(''),
      both(line('M84 118q13 11 26 0', p.ink, 5) + oval(80, 140, 11, 7, p.accent, 'opacity=".75"')),
      line('M108 148q12 9 24 0', p.ink, 4.5),
      path(
        'M52 98c10-50 54-78 108-76 26 0 50 10 58 24 10 20 12 40 10 62-14-22-24-36-40-42-40-14-100-2-136 32Z',
        '#e9776a',
      ),
      path('M160 22c26 0 50 10 58 24 10 20 12 40 10 62-14-22-24-36-40-42-6-2-12-3-19-4 6-14 2-30-9-40Z', '#c2504c'),
      line('M92 44c-10 8-16 18-20 28M126 28c-6 10-8 22-8 34', p.accent, 7),
      line('M48 104C84 68 146 54 192 70', '#fbf3e4', 15),
      circle(218, 116, 15, '#fbf3e4'),
      star(36, 40, 9, p.accent),
      star(28, 190, 7, p.accent),
    ].join(''),
  lighthouse: (p: Palette) =>
    [
      both(path('M120 66 0 22v78Z', '#fff3bf', 'opacity=".75"')),
      path('M0 240v-22c40-20 70-10 100-18 50-12 90 0 140 14v26Z', p.dark),
      path('M92 92h56l14 128H78Z', '#fbf6ee'),
      path('M128 92h20l14 128h-30Z', '#dfd6c8'),
      path('M89 120h62l3.5 30h-69ZM82 180h76l3.5 30H78.500Z', p.main),
      path('M130 120h21l3.5 30h-23ZM133 180h25l3.5 30h-28Z', p.dark),
      box(82, 84, 76, 12, 5, p.ink),
      box(96, 50, 48, 36, 6, p.glow),
      circle(120, 68, 12, '#ffd25e'),
      line('M108 50v34M132 50v34', p.ink, 3.5),
      path('M90 52c4-20 16-30 30-34 14 4 26 14 30 34Z', p.main),
      path('M120 18c14 4 26 14 30 34h-22c2-14 0-24-8-34Z', p.dark),
      path('M110 220v-16c0-14 20-14 20 0v16Z', p.ink),
      path('M0 228q20-10 40 0t40 0 40 0 40 0 40 0 40 0v12H0Z', p.light),
    ].join(''),
  plant: (p: Palette) =>
    [
      line('M120 180c0-40-2-70 0-104M120 150c-16-6-32-20-36-36M120 140c18-6 34-22 40-40', p.dark, 7),
      path('M120 80C96 66 96 30 120 8c24 22 24 58 0 72Z', p.main),
      path('M120 8c24 22 24 58 0 72Z', p.dark, 'opacity=".6"'),
      path('M92 122c-32 4-56-16-62-46 34-4 60 14 62 46Z', p.main),
      path('M92 122C78 104 56 86 30 76c34-4 60 14 62 46Z', p.light),
      path('M152 108c2-32 28-50 62-46-6 30-30 50-62 46Z', p.main),
      path('M152 108c14-20 36-36 62-46-6 30-30 50-62 46Z', p.dark, 'opacity=".6"'),
      path('M112 158c-20 6-40 0-52-16 20-14 44-8 52 16ZM128 152c4-22 24-32 46-24-6 20-26 30-46 24Z', p.light),
      box(64, 160, 112, 26, 10, p.accent),
      path('M74 184h92l-10 48c-2 10-70 10-72 0Z', p.accent),
      path('M132 184h34l-10 48c-1 5-18 8-36 8 10-16 14-36 12-56Z', p.ink, 'opacity=".16"'),
      box(64, 178, 112, 8, 4, p.ink, 'opacity=".14"'),
      eyes(16, 204, 4.5, p.ink),
      line('M112 216q8 6 16 0', p.ink, 3.4),
    ].join(''),
  balloon: (p: Palette) =>
    [
      both(path('M-4 200c4-18 30-20 36-4 14-8 30 2 28 16H0Z', '#fff', 'opacity=".75"')),
      line('M88 150 104 194M152 150l-16 44', p.ink, 3.5),
      path('M44 88c0-46 32-76 76-76s76 30 76 76c0 36-34 66-50 84H94c-16-18-50-48-50-84Z', p.main),
      path(
        'M92 20c-20 40-18 104 8 152h-6c-16-18-50-48-50-84 0-34 18-60 48-68ZM148 20c20 40 18 104-8 152h6c16-18 50-48 50-84 0-34-18-60-48-68Z',
        p.light,
      ),
      path('M120 12c34 44 32 116 8 160h-16c-24-44-26-116 8-160Z', p.accent),
      path('M148 16c30 10 48 38 48 72 0 36-34 66-50 84h-12c32-44 38-104 14-156Z', p.ink, 'opacity=".16"'),
      path('M94 166h52l-4 10H98Z', p.dark),
      box(98, 192, 44, 34, 9, p.dark),
      box(98, 192, 44, 10, 5, p.ink, 'opacity=".4"'),
      line('M104 210h32M104 218h32', p.light, 3, 'opacity=".6"'),
    ].join(''),
  book: (p: Palette) =>
    [
      path('M24 92c34-14 68-10 96 8 28-18 62-22 96-8v128c-34-14-68-10-96 8-28-18-62-22-96-8Z', p.dark),
      path('M32 80c32-12 62-8 88 10v126c-26-18-56-22-88-10Z', '#fffaf0'),
      path('M208 80c-32-12-62-8-88 10v126c26-18 56-22 88-10Z', '#efe6d6'),
      line('M48 104c18-4 36-3 54 5M48 124c18-4 36-3 54 5M48 144c18-4 36-3 54 5M48 164c18-4 32-3 42 1', p.light, 5),
      line('M138 109c18-8 36-9 54-5M138 129c18-8 36-9 54-5M138 149c18-8 36-9 54-5', p.main, 5, 'opacity=".6"'),
      path('M160 74h22v62l-11-10-11 10Z', p.accent),
      star(120, 46, 17, p.accent),
      star(76, 50, 8, '#fff'),
      star(166, 40, 9, '#fff'),
    ].join(''),
  lantern: (p: Palette) =>
    [
      circle(120, 138, 92, p.accent, 'opacity=".25"'),
      circle(120, 138, 66, p.accent, 'opacity=".3"'),
      line('M92 70c0-44 56-44 56 0', p.ink, 8),
      path('M82 84c4-14 18-20 38-20s34 6 38 20Z', p.main),
      box(72, 82, 96, 16, 7, p.dark),
      path('M82 98h76l8 96H74Z', p.glow),
      path('M120 110c22 26 24 44 18 58-6 12-30 12-36 0-6-14 0-26 6-34 2 6 4 8 8 10 2-12 2-22 4-34Z', '#f58a3c'),
      path('M121 138c10 14 12 24 8 32-4 6-14 6-18 0-3-8 0-14 4-18 2 4 3 5 5 6 1-7 1-13 1-20Z', '#ffe08a'),
      line('M86 98l-6 96M154 98l6 96', p.ink, 5),
      box(62, 192, 116, 18, 8, p.main),
      box(120, 192, 58, 18, 8, p.dark),
      box(76, 210, 88, 14, 6, p.dark),
    ].join(''),
} as const satisfies Record<string, (palette: Palette) => string>

/** A star of four points. */
function star(x: number, y: number, r: number, fill: string): string {
  const q = r * 0.22
  return path(
    `M${x} ${y - r}Q${x + q} ${y - q} ${x + r} ${y}Q${x + q} ${y + q} ${x} ${y + r}Q${x - q} ${y + q} ${x - r} ${y}Q${x - q} ${y - q} ${x} ${y - r}Z`,
    fill,
  )
}

const leaves = (p: Palette): string =>
  [
    [64, 108, -60],
    [64, 88, -35],
    [72, 68, -12],
    [86, 52, 12],
    [104, 42, 34],
  ]
    .map(([x, y, angle], index) =>
      oval(x!, y!, 7, 14, index % 2 ? p.main : p.dark, `transform="rotate(${angle} ${x} ${y})"`),
    )
    .join('')
