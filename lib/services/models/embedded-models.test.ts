import { expect, test } from 'vitest'
import { embeddedModels } from '@/lib/services/models/embedded-models'

const PROFILES = ['standard', 'lean'] as const
const chatModels = (profile: (typeof PROFILES)[number]) =>
  embeddedModels(profile).flatMap((model) => (model.type === 'text' && model.assist ? [model] : []))

test('the standard profile offers both chat models, the lean one only the small', () => {
  expect(chatModels('standard').map(({ id }) => id)).toEqual(['tinyllama-1.1b-chat', 'minimind2-small'])
  expect(chatModels('lean').map(({ id }) => id)).toEqual(['minimind2-small'])
})

test.each(PROFILES)('each trait of the %s profile is held by one model, the default by its first', (profile) => {
  const traits = embeddedModels(profile).flatMap((model) => model.traits)
  const erasers = profile === 'standard' ? ['object_removal'] : []
  expect(traits.toSorted()).toEqual(['default', 'default_vision', 'fastest', 'function_calling_default', ...erasers])
  expect(embeddedModels(profile)[0]!.traits).toContain('default')
})

test.each(PROFILES)('the chat models of the %s profile hear through a model that is there', (profile) => {
  const hearing = embeddedModels(profile).filter(({ type }) => type === 'asr')
  expect(hearing.map(({ id }) => id)).toEqual(
    profile === 'standard' ? ['moonshine-tiny', 'whisper-tiny'] : ['moonshine-tiny'],
  )
  for (const { assist } of chatModels(profile)) expect(assist!.audio).toBe('moonshine-tiny')
})

test('no chat model is free, claims to be large, or answers longer than its context', () => {
  for (const model of chatModels('standard')) {
    const { input, output } = model.pricing!
    expect(Math.min(input.usd, output.usd)).toBeGreaterThan(0)
    expect(model.description).toMatch(/demo model/)
    expect(model.demo).toBe(true)
    expect(model.servicePrompt?.length).toBeLessThan(40)
    expect(model.maxCompletionTokens).toBeLessThan(model.contextTokens!)
  }
})
