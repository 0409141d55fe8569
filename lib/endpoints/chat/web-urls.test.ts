import { expect, test } from 'vitest'
import { findUrls } from '@/lib/endpoints/chat/web-query'

test.each([
  ['See https://a.example/b.', ['https://a.example/b']],
  ['Is https://a.example/b?c=d&e=f#g right?!', ['https://a.example/b?c=d&e=f']],
  ['(see https://a.example/b_(c)).', ['https://a.example/b_(c)']],
  ['[a page](https://a.example/b), and more', ['https://a.example/b']],
  ['[https://a.example/b](https://a.example/b)', ['https://a.example/b']],
  ['![pic](https://a.example/p.png "title")', ['https://a.example/p.png']],
  ['<https://a.example/b>', ['https://a.example/b']],
  ['**https://a.example/b** and _https://a.example/c_', ['https://a.example/b', 'https://a.example/c']],
  ['"https://a.example/b", ‘https://a.example/c’', ['https://a.example/b', 'https://a.example/c']],
  ['| https://a.example/b|https://a.example/c |', ['https://a.example/b', 'https://a.example/c']],
  ['HTTPS://A.Example:443/B', ['https://a.example/B']],
  ['http://[::1]:8080/x and http://127.0.0.1:9/y', ['http://[::1]:8080/x', 'http://127.0.0.1:9/y']],
  ["https://a.example's own page", ['https://a.example/']],
  ['https://web.archive.org/web/2020/https://a.example/b', ['https://web.archive.org/web/2020/https://a.example/b']],
  ['请看https://例子.example/页面。谢谢', ['https://xn--fsqu00a.example/%E9%A1%B5%E9%9D%A2']],
  ['https://münchen.example/straße', ['https://xn--mnchen-3ya.example/stra%C3%9Fe']],
  ['https://xn--mnchen-3ya.example/', ['https://xn--mnchen-3ya.example/']],
  ['https://a.example/b\u200bc \u202ehttps://d.example/e', ['https://a.example/b', 'https://d.example/e']],
  ['line\nhttps://a.example/b\nhttps://c.example', ['https://a.example/b', 'https://c.example/']],
])('addresses are found in text: %s', (text, expected) => {
  expect(findUrls(text, 5)).toEqual(expected)
})

test.each([
  'ftp://a.example/b javascript:alert(1) www.a.example mailto:x@a.example',
  'https:// http:///x https://?x https://#',
  'https://user:secret@a.example/b',
  'https://a%b/ https://999.999.999.999/ https://a.example:99999/',
])('what is no address of a page is left alone: %s', (text) => {
  expect(findUrls(text, 5)).toEqual([])
})

test('each address counts once, and no more than the limit', () => {
  const text = 'https://a.example/1 https://A.example/1#x https://a.example/2 https://a.example/3 https://a.example/4'
  expect(findUrls(text, 3)).toEqual(['https://a.example/1', 'https://a.example/2', 'https://a.example/3'])
})

test('an address that is too long is none', () => {
  expect(findUrls(`https://a.example/${'x'.repeat(3_000)}`, 5)).toEqual([])
})

test('what stands behind the first 200,000 characters is not looked at', () => {
  const address = ' https://a.example/b'
  expect(findUrls('a'.repeat(200_000 - address.length) + address, 5)).toEqual(['https://a.example/b'])
  expect(findUrls('a'.repeat(200_000) + address, 5)).toEqual([])
})

// In quadratic time what is looked at of them takes longer than a test may.
test.each([
  ['a word without end', `https://${'a'.repeat(1_000_000)}`],
  ['beginnings only', 'https://'.repeat(120_000)],
  ['brackets', `https://a.example/${'('.repeat(500_000)}`],
  ['dots', `https://a.example/${'.'.repeat(500_000)}`],
  ['many addresses', 'https://a.example/b,'.repeat(50_000)],
])('a megabyte of %s takes linear time', (_, text) => {
  expect(findUrls(text, 5).length).toBeLessThanOrEqual(5)
})
