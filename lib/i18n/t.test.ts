import { afterEach, expect, test } from 'vitest'
import { fill, formatDate, formatNumber, language, loadCatalog, plural, speak, t } from '@/lib/i18n/t'

afterEach(() => speak('en'))

test('English is what is written, with its places filled and its numbers grouped', () => {
  expect(t('From {min} to {max}.', { min: 1, max: 12_000 })).toBe('From 1 to 12,000.')
  expect(t('Port {port}', { port: '12000' })).toBe('Port 12000')
  expect(plural(1, { one: '{count} file', other: '{count} files' })).toBe('1 file')
  expect(plural(1200, { one: '{count} file of {name}', other: '{count} files of {name}' }, { name: 'me' })).toBe(
    '1,200 files of me',
  )
})

test('what a person wrote is put in as it is, also when it looks like a place', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
  expect(fill('{a} and {constructor}', { a: 'x' })).toBe('x and {constructor}')
})

test('another language says its own words, numbers and dates, and English where it has none', async () => {
  await loadCatalog('de')
  speak('de')
  expect(language()).toBe('de')
  expect(t('Cancel')).toBe('Abbrechen')
  expect(t('A sentence that nobody translated')).toBe('A sentence that nobody translated')
  expect(formatNumber(1234.5)).toBe('1.234,5')
  expect(formatDate(Date.UTC(2026, 0, 2), { dateStyle: 'long', timeZone: 'UTC' })).toBe('2. Januar 2026')
})

test('Arabic has words of their own for none, one, two, a few and many', async () => {
  await loadCatalog('ar')
  speak('ar')
  const said = [0, 1, 2, 3, 11, 100].map((count) =>
    plural(count, { one: '{count} message', other: '{count} messages' }),
  )
  expect(new Set(said.map((words) => words.replace(/[\d٠-٩]+/g, '#'))).size).toBeGreaterThanOrEqual(5)
})
