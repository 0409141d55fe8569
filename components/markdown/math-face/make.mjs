// Makes the three files of the mathematical face beside it from STIX Two Math, which has 400 KB: what most formulas need,
// the alphabets of mathematics (bold, script, fraktur, double-struck, sans), and rare signs. Each is fetched when a formula
// shows a character of its range; the ranges stand in maths.css. Run by hand when the face changes, in this folder:
//
//   npm install --no-save --prefix /tmp/math-face subset-font@2.9.0 fontverter@2.0.0 @fontsource/stix-two-math@5.3.0
//   NODE_PATH=/tmp/math-face/node_modules node make.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(`${process.env.NODE_PATH}/`)
const subsetFont = require('subset-font')
const fontverter = require('fontverter')
const SOURCE = '@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2'

/** Code points of each file, from and to, both included. */
const RANGES = {
  common:
    '20-7e a0-ff 131 237 2c6-2dd 300-338 391-3f6 2010-205f 2061-2064 20d0-20f0 2100-214f 2190-21ff 2200-22ff 2300-23ff 25a0-25ff 27e6-27ef 27f5-27ff 1d434-1d467 1d6a4-1d6a5 1d6e2-1d71b',
  alphabets: '1d400-1d433 1d468-1d6a3 1d6a8-1d6e1 1d71c-1d7ff',
  rare: '2660-266f 27c0-27e5 2900-297f 2980-29ff 2a00-2aff 2b00-2bff',
}

/** Small forms for indices, dotless letters under accents, primes that stand high, and what belongs to right-to-left. */
const FEATURES = ['ssty', 'dtls', 'flac', 'ss01', 'ss04', 'ccmp', 'mark', 'mkmk', 'rtlm']

const whole = await fontverter.convert(readFileSync(require.resolve(SOURCE)), 'sfnt')
for (const [name, ranges] of Object.entries(RANGES)) {
  const file = await subsetFont(whole, charactersOf(ranges), {
    targetFormat: 'woff2',
    noHinting: true,
    keepFeatures: FEATURES,
  })
  writeFileSync(new URL(`${name}.woff2`, import.meta.url), file)
  const range = ranges
    .split(' ')
    .map((one) => `U+${one}`)
    .join(', ')
  process.stdout.write(`${name}: ${file.length} bytes\n  unicode-range: ${range};\n`)
}

function charactersOf(ranges) {
  return ranges
    .split(' ')
    .flatMap((range) => {
      const [from, to = from] = range.split('-').map((code) => Number.parseInt(code, 16))
      return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))
    })
    .join('')
}
