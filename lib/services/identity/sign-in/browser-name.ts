/** The first that fits counts: others carry the names of those they descend from. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

/** A browser in plain words, from its `User-Agent`; only words of ours come out. @example "Chrome on Linux" */
export function browserName(userAgent: string | null): string {
  const nameIn = (table: typeof BROWSERS) => table.find(([form]) => form.test(userAgent ?? ''))?.[1]
  const browser = nameIn(BROWSERS) ?? 'Unknown browser'
  const system = nameIn(SYSTEMS)
  return system === undefined ? browser : `${browser} on ${system}`
}
