/**
 * The colours of one portrait. `sky` and `glow` are behind the subject, `main` to `light` are its own three tones lit from
 * the upper left, `accent` is for one or two details, `ink` for eyes and lines.
 */
export type Palette = {
  sky: readonly [top: string, bottom: string]
  glow: string
  main: string
  dark: string
  light: string
  accent: string
  ink: string
}

export const PALETTES = {
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

export type PaletteName = keyof typeof PALETTES

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
