import { expect, test } from 'vitest'
import { estimateTokens } from '@/lib/services/engines/upstream/chat/chat'

test.each([
  ['', 0],
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['const x = (a: number) => a + 1\n', 12],
  ['敏捷的棕色狐狸跳过了懒狗。', 17],
  ['Größenwahnsinnig', 6],
])('%j needs at least %i', (text, tokens) => {
  const estimate = estimateTokens(text)
  expect(estimate).toBeGreaterThanOrEqual(Math.floor(tokens * 0.75))
  expect(estimate).toBeLessThanOrEqual(tokens * 2)
})
