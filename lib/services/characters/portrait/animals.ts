import type { Palette } from '@/lib/services/characters/portrait/palettes'
import { both, circle, eyes, line, oval, path } from '@/lib/services/characters/portrait/shapes'

export const ANIMALS = {
  owl: (p: Palette) =>
    [
      path('M48 240c-8-84 0-150 72-150s80 66 72 150Z', p.main),
      path('M120 90c72 0 80 66 72 150h-52c24-60 10-120-20-150Z', p.dark),
      path('M76 240c-6-70 10-96 44-96s50 26 44 96Z', p.light),
      line(
        'M100 178q6 7 12 0M128 178q6 7 12 0M86 200q6 7 12 0M114 200q6 7 12 0M142 200q6 7 12 0M100 222q6 7 12 0M128 222q6 7 12 0',
        p.main,
        4,
      ),
      path('M52 60c14 14 32 20 68 20s54-6 68-20c4 28 4 44-4 60-12 26-116 26-128 0-8-16-8-32-4-60Z', p.main),
      path('M120 80c36 0 54-6 68-20 4 28 4 44-4 60-6 13-34 20-64 20Z', p.dark),
      both(circle(91, 106, 31, '#fffaf0') + circle(91, 106, 31, p.light, 'opacity=".25"')),
      eyes(27, 106, 15, p.ink),
      both(line('M64 74c14 0 30 6 40 16', p.light, 6)),
      path('M120 104c8 6 10 16 0 30-10-14-8-24 0-30Z', p.accent),
    ].join(''),
  fox: (p: Palette) =>
    [
      path('M60 240c0-40 24-64 60-64s60 24 60 64Z', p.main),
      path('M92 240c-2-34 12-56 28-56s30 22 28 56Z', '#fff6ec'),
      both(
        path('M52 40c24 8 42 26 50 46l-44 34C46 92 44 62 52 40Z', p.main) +
          path('M62 58c14 8 24 18 30 30l-26 18c-6-16-7-34-4-48Z', p.ink),
      ),
      path('M120 72c40 0 66 26 70 62-16 20-40 50-70 60-30-10-54-40-70-60 4-36 30-62 70-62Z', p.main),
      path('M120 72c40 0 66 26 70 62-16 20-40 50-70 60Z', p.dark, 'opacity=".55"'),
      both(path('M50 134c22-2 44 4 56 24 6 10 10 22 14 36-30-10-54-40-70-60Z', '#fff6ec')),
      eyes(28, 126, 7, p.ink),
      both(line('M78 110q10-8 20-2', p.dark, 4)),
      path('M108 172c6-6 18-6 24 0 0 8-8 14-12 14s-12-6-12-14Z', p.ink),
      path('M112 172c4-2 8-2 10 0-2 3-8 3-10 0Z', '#fff', 'opacity=".5"'),
    ].join(''),
  raven: (p: Palette) =>
    [
      path('M44 240c0-30 14-52 34-64l20-40h66c22 30 34 62 34 104Z', p.ink),
      path('M150 150c30 24 44 56 48 90h-44c10-30 8-60-4-90Z', p.main, 'opacity=".55"'),
      path('M70 108c0-40 26-62 58-62 38 0 60 28 60 66 0 34-22 60-58 60-36 0-60-26-60-64Z', p.ink),
      path('M140 48c30 6 48 32 48 64 0 34-22 60-58 60 34-26 40-90 10-124Z', p.main, 'opacity=".5"'),
      path('M84 96 24 128c20 8 46 10 64 4 10-10 8-28-4-36Z', p.accent),
      path('M24 128c20 8 46 10 64 4 3-3 5-7 5-11-20 5-46 7-69 7Z', p.dark),
      line('M100 66c10-14 30-18 44-12M96 190c14 10 34 12 52 6M104 212c12 8 28 10 42 6', p.main, 5),
      circle(112, 102, 14, '#fffaf0'),
      circle(110, 102, 8, p.ink),
      circle(107, 99, 2.8, '#fff'),
      path('M118 44c-4-14 4-24 16-26-4 8-2 14 2 18 2-8 10-14 20-12-8 6-8 16-6 24Z', p.ink),
    ].join(''),
  duck: (p: Palette) =>
    [
      path('M18 240c-2-44 30-66 70-62 60 6 110-24 130-46 10 50 0 90-16 108Z', FEATHERS.main),
      path('M218 132c10 50 0 90-16 108h-84c50-10 88-50 100-108Z', FEATHERS.dark),
      path('M96 210c20 12 58 8 74-16 4 26-14 46-40 46-18 0-34-12-34-30Z', FEATHERS.light),
      circle(104, 110, 60, FEATHERS.main),
      path('M128 55c22 10 36 31 36 55 0 33-27 60-60 60 34-22 44-78 24-115Z', FEATHERS.dark),
      path('M30 124c18-12 42-14 62-4 8 4 8 16 0 20-24 10-50 8-64-6-4-4-2-8 2-10Z', FEATHERS.bill),
      path('M28 134c20 4 44 3 69-4 0 4-2 8-5 10-24 10-50 8-64-6Z', p.ink, 'opacity=".22"'),
      circle(102, 94, 10, '#fff'),
      circle(100, 94, 6, p.ink),
      circle(97.5, 91.5, 2.2, '#fff'),
      path('M92 54c-6-14 2-26 14-28-2 8 0 12 4 14 4-8 12-10 18-8-6 6-10 14-10 24Z', FEATHERS.main),
      oval(74, 148, 10, 6, FEATHERS.bill, 'opacity=".4"'),
    ].join(''),
  octopus: (p: Palette) =>
    [
      path('M48 120c0-50 30-84 72-84s72 34 72 84c0 26-8 40-8 60H56c0-20-8-34-8-60Z', p.main),
      path('M144 42c30 12 48 42 48 78 0 26-8 40-8 60h-44c24-40 28-96 4-138Z', p.dark, 'opacity=".6"'),
      [
        'M64 168c-4 30-20 36-44 32',
        'M84 176c0 34-16 48-40 54',
        'M108 178c2 30-6 46-20 58',
        'M132 178c-2 30 6 46 20 58',
        'M156 176c0 34 16 48 40 54',
        'M176 168c4 30 20 36 44 32',
      ]
        .map((d, index) => line(d, index > 3 ? p.dark : p.main, 22))
        .join(''),
      [
        [34, 201],
        [58, 222],
        [74, 196],
        [166, 196],
        [182, 222],
        [206, 201],
      ]
        .map(([x, y]) => circle(x!, y!, 4.5, p.light))
        .join(''),
      both(circle(94, 118, 19, '#fffaf0')),
      eyes(24, 120, 10, p.ink),
      line('M106 152q14 12 28 0', p.ink, 4.5),
      both(oval(76, 146, 10, 6, p.accent, 'opacity=".55"')),
      circle(88, 66, 9, p.light, 'opacity=".7"'),
      circle(112, 54, 5, p.light, 'opacity=".7"'),
      circle(78, 86, 4, p.light, 'opacity=".7"'),
    ].join(''),
  tortoise: (p: Palette) =>
    [
      path('M8 240C8 124 54 48 120 48s112 76 112 192Z', p.main),
      path('M142 51c54 14 90 86 90 189h-56c18-70 8-150-34-189Z', p.dark, 'opacity=".8"'),
      path(
        'M92 66h56l16 34-18 20H94l-18-20ZM60 92l10 14-16 40-26 8c6-26 16-46 32-62ZM180 92l-10 14 16 40 26 8c-6-26-16-46-32-62Z',
        p.light,
        'opacity=".75"',
      ),
      path('M40 240c4-26 34-40 80-40s76 14 80 40Z', '#d9e3a4'),
      path('M94 176h52v44c0 12-52 12-52 0Z', '#9dba68'),
      path('M62 146c0-34 26-54 58-54s58 20 58 54c0 36-26 58-58 58s-58-22-58-58Z', '#b9cf7c'),
      path('M138 95c24 7 40 26 40 51 0 36-26 58-58 58 30-24 38-74 18-109Z', '#8fae5c', 'opacity=".8"'),
      path('M78 116c8-12 24-18 42-18s34 6 42 18c-26-8-58-8-84 0Z', '#fff', 'opacity=".3"'),
      both(circle(97, 144, 18, '#fff', `fill-opacity=".4" stroke="${p.ink}" stroke-width="3.6"`)),
      line('M115 141q5-4 10 0', p.ink, 3.6),
      eyes(23, 144, 6.5, p.ink),
      both(line('M84 120q10-8 20-3', '#5f7d3a', 4)),
      line('M96 180c14 10 34 10 48 0', p.ink, 4.2),
      both(circle(115, 164, 2, p.ink)),
    ].join(''),
  cat: (p: Palette) =>
    [
      path('M58 240c0-46 26-70 62-70s62 24 62 70Z', p.ink),
      path('M96 240c0-26 10-42 24-42s24 16 24 42Z', p.light, 'opacity=".9"'),
      both(
        path('M54 36c26 6 44 20 54 40l-48 40c-10-24-12-56-6-80Z', p.ink) +
          path('M64 54c14 5 24 13 32 24l-28 22c-6-14-7-32-4-46Z', p.accent, 'opacity=".8"'),
      ),
      path('M48 128c0-40 30-66 72-66s72 26 72 66-30 62-72 62-72-22-72-62Z', p.ink),
      path('M142 66c30 9 50 32 50 62 0 40-30 62-72 62 40-20 52-84 22-124Z', p.main, 'opacity=".35"'),
      both(oval(90, 122, 18, 19, p.light) + oval(90, 122, 5.5, 16, p.ink) + circle(85, 114, 4.5, '#fff')),
      path('M112 148h16c0 6-5 10-8 10s-8-4-8-10Z', p.accent),
      line('M120 158v6q-9 10-18 3M120 164q9 10 18 3', p.light, 3.6),
      both(line('M72 154 36 148M72 164l-34 6', p.light, 2.6)),
      line('M108 78v14M120 74v20M132 78v14', p.main, 5),
    ].join(''),
  bear: (p: Palette) =>
    [
      path('M30 240c0-48 38-74 90-74s90 26 90 74Z', p.main),
      path('M120 166c52 0 90 26 90 74h-50c0-30-14-56-40-74Z', p.dark, 'opacity=".7"'),
      path('M72 240c0-36 20-52 48-52s48 16 48 52Z', p.light, 'opacity=".8"'),
      both(circle(64, 70, 26, p.main) + circle(64, 72, 14, p.light)),
      path('M42 118c0-44 32-70 78-70s78 26 78 70c0 46-34 70-78 70s-78-24-78-70Z', p.main),
      path('M146 52c32 10 52 34 52 66 0 46-34 70-78 70 44-24 58-94 26-136Z', p.dark, 'opacity=".5"'),
      oval(120, 146, 36, 30, '#fff4e4'),
      path('M104 128c8-6 24-6 32 0 2 10-10 18-16 18s-18-8-16-18Z', p.ink),
      line('M120 146v8q-9 9-18 3M120 154q9 9 18 3', p.ink, 4),
      eyes(32, 108, 7, p.ink),
      both(oval(72, 136, 10, 6.5, p.accent, 'opacity=".5"')),
    ].join(''),
  whale: (p: Palette) =>
    [
      path(
        'M10 150c0-56 52-90 112-82 44 6 72 30 84 62 4-20 0-34-10-46 16-2 26 4 30 14 6-10 12-14 14-14-2 60-30 116-116 116C60 200 10 188 10 150Z',
        p.main,
      ),
      path(
        'M10 150c50 26 130 30 196-20 6-6 20-20 34-46 2 60-30 116-116 116C60 200 10 188 10 150Z',
        p.dark,
        'opacity=".55"',
      ),
      path('M14 164c40 20 90 20 126 4-6 20-26 34-56 34-36 0-62-16-70-38Z', '#f4fbff'),
      line('M30 180c30 16 66 18 96 6M44 192c22 8 48 9 70 2', p.light, 3.5),
      circle(64, 138, 8, p.ink),
      circle(61, 135, 2.8, '#fff'),
      oval(46, 154, 10, 6, p.accent, 'opacity=".6"'),
      line('M26 158c8 6 18 8 28 8', p.ink, 4),
      path('M128 158c8 22 26 34 48 34-4-18-16-34-36-40Z', p.dark),
      line('M104 62c0-14-8-22-22-22M104 62c0-18 8-26 24-24M104 60V34', p.glow, 6),
      path('M0 214q20-12 40 0t40 0 40 0 40 0 40 0 40 0v26H0Z', p.light, 'opacity=".85"'),
      path('M0 226q20-10 40 0t40 0 40 0 40 0 40 0 40 0v14H0Z', p.main, 'opacity=".7"'),
    ].join(''),
  parrot: (p: Palette) =>
    [
      path('M52 240c-6-60 14-104 66-112 50 6 76 50 68 112Z', p.main),
      path('M130 130c42 12 62 54 56 110h-52c16-36 16-76-4-110Z', p.accent),
      path('M150 160c24 18 34 46 34 80h-26c6-28 4-54-8-80Z', p.dark),
      path('M58 104c0-42 26-68 62-68 38 0 64 28 64 66 0 40-26 68-64 68-36 0-62-26-62-66Z', p.main),
      path('M140 40c28 10 44 34 44 62 0 40-26 68-64 68 38-26 46-88 20-130Z', p.dark, 'opacity=".5"'),
      path('M74 84c-26 0-46 18-44 48 2 14 8 22 16 26 0-14 6-24 18-30 14-6 22-30 10-44Z', '#3b3438'),
      path('M46 158c0-14 6-24 18-30 4-2 7-5 9-9 6 20-6 40-27 39Z', '#231f24'),
      oval(104, 92, 26, 24, '#fffaf0'),
      circle(102, 92, 9, p.ink),
      circle(98.5, 88.5, 3.2, '#fff'),
      line('M92 108h14M98 115h14', p.light, 3),
      path('M112 38c-8-18 0-30 14-32-2 8 2 12 6 14 2-10 10-16 22-14-8 8-10 24-14 36Z', p.accent),
      line('M82 190q8 8 16 0M106 200q8 8 16 0M80 214q8 8 16 0M104 224q8 8 16 0', p.dark, 4, 'opacity=".6"'),
    ].join(''),
  wren: (p: Palette) =>
    [
      line('M0 216c60-18 150-20 240-4', p.dark, 10),
      path('M196 206c14-8 24-6 30 2-10 6-22 6-30-2ZM20 212c-4-14 2-22 12-24 2 12-2 20-12 24Z', p.accent),
      path('M168 122c18-22 34-54 40-84 10 8 18 20 18 34-4 40-24 74-46 90Z', p.dark),
      path('M44 128c0-48 32-78 74-78 50 0 76 40 74 82-2 46-34 76-76 76-44 0-72-34-72-80Z', p.main),
      path('M52 160c24-14 62-6 70 46-32 6-60-14-70-46Z', p.light),
      path('M128 128c32-8 58 4 64 10-4 36-30 62-64 68 22-22 22-54 0-78Z', p.dark),
      line('M146 152c10 0 20 4 28 10M146 170c8 0 14 3 20 8', p.light, 4),
      path('M52 112 14 122c10 10 26 14 42 10Z', p.accent),
      line('M58 88c14-10 34-12 50-4', p.light, 6),
      circle(84, 106, 8, p.ink),
      circle(81, 103, 2.8, '#fff'),
      line('M100 206v10M124 206v10', p.ink, 5),
    ].join(''),
  hedgehog: (p: Palette) =>
    [
      path(spikes(100, 120, 23), p.dark),
      path(spikes(84, 102, 19), p.main),
      path(spikes(68, 84, 15), p.light, 'opacity=".5"'),
      both(circle(74, 112, 15, '#d9a77c') + circle(75, 114, 8, '#b9805a')),
      path(
        'M50 166c0-30 18-54 40-54 14 0 24 8 30 18 6-10 16-18 30-18 22 0 40 24 40 54 0 40-32 62-70 62s-70-22-70-62Z',
        '#ffe9cf',
      ),
      path('M120 130c6-10 16-18 30-18 22 0 40 24 40 54 0 40-32 62-70 62 30-16 32-64 0-98Z', '#f0cda4', 'opacity=".6"'),
      eyes(30, 156, 8, p.ink),
      both(line('M80 140q8-6 16-2', '#a87a52', 3.6) + oval(74, 182, 12, 8, '#e8705a', 'opacity=".4"')),
      path('M106 174c8-8 20-8 28 0 0 9-8 15-14 15s-14-6-14-15Z', p.ink),
      oval(115, 175, 4, 2.2, '#fff', 'opacity=".55"'),
      line('M120 190v5q-10 10-19 3M120 195q10 10 19 3', p.ink, 3.8),
    ].join(''),
} as const satisfies Record<string, (palette: Palette) => string>

/** A rubber duck is yellow, whatever is behind it. */
const FEATHERS = { main: '#ffd155', dark: '#efae35', light: '#ffe596', bill: '#ef7d3a' }

/** A round coat of spikes, from one hip over the head to the other. */
function spikes(inner: number, outer: number, count: number): string {
  const points = Array.from({ length: count * 2 + 1 }, (_, index) => {
    const angle = Math.PI * (0.86 + (index / (count * 2)) * 1.28)
    const radius = index % 2 === 0 ? inner : outer
    return `${Math.round(120 + Math.cos(angle) * radius)} ${Math.round(140 + Math.sin(angle) * radius)}`
  })
  return `M${points.join(' ')}L200 240H40Z`
}
