import { expect, test } from 'vitest'
import { SECTIONS, SETTINGS, searchSettings, settingHref } from '@/lib/browser/settings-entries'
import { loadCatalog, speak } from '@/lib/i18n/t'

test.each([
  ['dark', 'theme'],
  ['compact', 'density'],
  ['newline', 'enter'],
  ['reduce motion', 'motion'],
  ['web search', 'new-sources'],
  ['budget', 'caps'],
  ['chatgpt', 'backup'],
  ['privacy tier', 'leaves'],
  ['hotkey', 'keys'],
  ['pwa', 'install'],
  ['DELETE all', 'wipe'],
  ['translate', 'language'],
  ['本語', 'language'],
  ['عربية', 'language'],
])('“%s” finds %s', (query, id) => {
  expect(searchSettings(query).map((entry) => entry.id)).toContain(id)
})

test('a setting that is called so comes before one that only says so', () => {
  expect(searchSettings('text')[0]?.id).toBe('text')
})

test('in another language a setting is found by its words there, and by the English ones', async () => {
  const catalog = await loadCatalog('ja')
  Object.assign(catalog, { Density: '表示の密度', Storage: 'ストレージ' })
  speak('ja')
  const found = ['密度', 'density', 'ストレ', 'quota'].map((query) => searchSettings(query)[0]?.id)
  speak('en')
  expect(found).toEqual(['density', 'density', 'storage', 'storage'])
})

test('words that no setting has find nothing, and no words find nothing', () => {
  expect(searchSettings('zebra')).toEqual([])
  expect(searchSettings('  ')).toEqual([])
  expect(searchSettings('dark zebra')).toEqual([])
})

test('every setting has an address of its own in a section that exists', () => {
  const addresses = SETTINGS.map(settingHref)
  expect(new Set(addresses).size).toBe(SETTINGS.length)
  for (const { section } of SETTINGS) expect(SECTIONS.some(({ id }) => id === section)).toBe(true)
})
