import { expect, test } from 'vitest'
import { codeIn } from '@/components/chat/chat-commands'

test('code is found between its fences, in a list without the indent of the list', () => {
  const text = 'One:\n\n```js\nlet a = 1\n\nlet b\n```\n\n- two\n\n  ~~~\n  x\n    y\n  ~~~\n'
  expect(codeIn(text)).toEqual(['let a = 1\n\nlet b', 'x\n  y'])
})

test('a longer fence holds a shorter one, and a fence that is still open is none', () => {
  expect(codeIn('````md\n```\nin\n```\n````')).toEqual(['```\nin\n```'])
  expect(codeIn('```js\nlet a')).toEqual([])
  expect(codeIn('no code')).toEqual([])
})
