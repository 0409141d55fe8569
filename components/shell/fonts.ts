import localFont from 'next/font/local'

// Variable fonts from the packages, served by ourselves. The Latin file of the text face is preloaded; the others are
// fetched when a glyph of theirs is on the page. The loader reads this file without running it: literals only.

const sans = localFont({
  src: '../../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  variable: '--face-sans',
  weight: '400 700',
  display: 'swap',
})

const sansExtended = localFont({
  src: '../../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-ext-wght-normal.woff2',
  variable: '--face-sans-ext',
  weight: '400 700',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: 'unicode-range',
      value:
        'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
    },
  ],
})

const italic = localFont({
  src: '../../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-italic.woff2',
  variable: '--face-italic',
  weight: '400 700',
  style: 'italic',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})

const serif = localFont({
  src: '../../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2',
  variable: '--face-serif',
  weight: '200 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: 'Times New Roman',
})

const mono = localFont({
  src: '../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  variable: '--face-mono',
  weight: '100 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})

export const fontVariables = [sans, sansExtended, italic, serif, mono].map((font) => font.variable).join(' ')
