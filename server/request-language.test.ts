import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { language } from '@/lib/i18n/t'
import { inLanguageOf, languageOf } from '@/server/request-language'

const asked = (headers: Record<string, string>) => ({ headers }) as IncomingMessage

test.each([
  [{}, 'en'],
  [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  [{ 'accept-language': 'nl, pt-BR;q=0.5, en;q=0.4' }, 'pt'],
  [{ 'accept-language': 'zh-Hans-CN' }, 'zh'],
  [{ 'accept-language': 'nl' }, 'en'],
  [{ 'accept-language': '*' }, 'en'],
  [{ 'accept-language': ';;q=;,,\u0000' }, 'en'],
  [{ cookie: 'a=1; language=ar', 'accept-language': 'de' }, 'ar'],
  [{ cookie: 'language=xx', 'accept-language': 'de' }, 'de'],
  [{ cookie: 'xlanguage=ar' }, 'en'],
])('%j is answered in %s', (headers, tag) => {
  expect(languageOf(asked(headers as Record<string, string>))).toBe(tag)
})

test('two requests at once are each answered in their own language', async () => {
  const said: string[] = []
  const answer = (tag: string) =>
    new Promise<void>((resolve) => {
      inLanguageOf(asked({ cookie: `language=${tag}` }), async () => {
        await new Promise(setImmediate)
        said.push(language())
        resolve()
      })
    })
  await Promise.all([answer('de'), answer('ja')])
  expect(said).toEqual(['de', 'ja'])
  expect(language()).toBe('en')
})
