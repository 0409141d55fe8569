import { expect, test } from 'vitest'
import { fileRefusal, modelsThatTake, refusalsOf, supportedKinds } from '@/lib/browser/files/model-refusals'
import { attachmentOf, modelOf } from '@/lib/browser/files/testing'

const BLIND = modelOf('Blind')
const SEER = modelOf('Seer', { supportsVision: true, supportsMultipleImages: true, maxImages: 4 })
const ONE_EYE = modelOf('One Eye', { supportsVision: true })
const HELPED = modelOf('Helped', {}, { images: 'Reader', audio: 'Listener' })
const ALL = modelOf('All', {
  supportsVision: true,
  supportsMultipleImages: true,
  supportsAudioInput: true,
  supportsVideoInput: true,
})

test.each([
  [BLIND, 'image', 'Blind doesn’t support images.'],
  [BLIND, 'audio', 'Blind doesn’t support audio.'],
  [BLIND, 'video', 'Blind doesn’t support video.'],
  [BLIND, 'document', undefined],
  [SEER, 'image', undefined],
  [SEER, 'audio', 'Seer doesn’t support audio.'],
  // Its pictures are what it sees.
  [SEER, 'video', undefined],
  [HELPED, 'image', undefined],
  [HELPED, 'audio', undefined],
  [HELPED, 'video', undefined],
  [ALL, 'video', undefined],
] as const)('%#: a model takes what it can, or what is read for it', (model, kind, reason) => {
  expect(fileRefusal(attachmentOf(kind), model, [])).toBe(reason)
})

test.each([
  [ALL, 'image', 10],
  [ALL, 'audio', 5],
  [ALL, 'video', 3],
  [ALL, 'document', 5],
  [SEER, 'image', 4],
  [ONE_EYE, 'image', 1],
  [HELPED, 'image', 10],
] as const)('%#: one file more than a message can hold is refused, and only that one', (model, kind, max) => {
  const files = Array.from({ length: max + 1 }, () => attachmentOf(kind))
  const reasons = refusalsOf(files, model)
  expect(reasons.slice(0, max)).toEqual(Array.from({ length: max }, () => undefined))
  expect(reasons[max]).toEqual(expect.any(String))
})

test('all files of a request have one bound, those of the chat so far among them', () => {
  const half = () => attachmentOf('document', { size: 14_000_000 })
  expect(fileRefusal(half(), ALL, [])).toBeUndefined()
  expect(fileRefusal(half(), ALL, [half()])).toBe('Files in a message can be up to 26 MB in total.')
  expect(fileRefusal(half(), ALL, [], [half()])).toMatch(/files in this chat would exceed 26 MB/)
  // What the model does not take is not sent to it again.
  expect(fileRefusal(half(), BLIND, [], [attachmentOf('image', { size: 20_000_000 })])).toBeUndefined()
})

test('the models that could take everything are named, and those that do not serve are not', () => {
  const files = [attachmentOf('image'), attachmentOf('audio')]
  const offline = { ...ALL, isOffline: true }
  expect(modelsThatTake(files, [BLIND, SEER, HELPED, offline, ALL]).map(({ name }) => name)).toEqual(['Helped', 'All'])
})

test('what a model takes is said in words', () => {
  expect([BLIND, SEER, HELPED, ALL].map(supportedKinds)).toEqual([
    'documents',
    'images, video and documents',
    'images, audio, video and documents',
    'images, audio, video and documents',
  ])
})
