import { expect, test } from 'vitest'
import { embeddedChatModels } from '@/lib/engines/embedded/models'

test('the standard profile offers both models, the lean one only the small', () => {
  expect(embeddedChatModels('standard').map(({ id }) => id)).toEqual(['tinyllama-1.1b-chat', 'minimind2-small'])
  expect(embeddedChatModels('lean').map(({ id }) => id)).toEqual(['minimind2-small'])
})

test.each(['standard', 'lean'] as const)('each trait of the %s profile is held by one model', (profile) => {
  const traits = embeddedChatModels(profile).flatMap((model) => model.traits)
  expect(traits.toSorted()).toEqual(['default', 'fastest', 'function_calling_default'])
})

test('no model is free, claims to be large, or answers longer than its context', () => {
  for (const model of embeddedChatModels('standard')) {
    expect(Math.min(model.pricing.input.usd, model.pricing.output.usd)).toBeGreaterThan(0)
    expect(model.description).toMatch(/demo model/)
    expect(model.maxCompletionTokens).toBeLessThan(model.contextTokens)
  }
})
