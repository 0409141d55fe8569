import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { extensionOf } from '@/components/studio/store'
import { zipOf } from '@/components/studio/zip-download'
import type { Generation } from '@/lib/browser/storage/generations'

test('the ending of a file is that of what is in it', () => {
  const types = [
    'image/webp',
    'image/jpeg',
    'audio/mpeg',
    'audio/x-wav',
    'video/quicktime',
    'text/plain;charset=utf-8',
    'odd',
  ]
  expect(types.map(extensionOf)).toEqual(['webp', 'jpg', 'mp3', 'wav', 'mov', 'txt', 'bin'])
})

test('results are packed with what was asked for, under names that any disk takes', async () => {
  const generation: Generation = {
    id: 'c',
    kind: 'image',
    task: 'generate',
    modelId: 'painter',
    modelName: 'Painter',
    prompt: 'A/B: tides?',
    settings: { seed: 7 },
    inputs: [],
    results: [],
    state: 'done',
    createdAt: Date.UTC(2026, 10, 20),
  }
  const image = (text: string) => ({ name: 'A/B: tides?', data: new Blob([text], { type: 'image/webp' }) })
  const zip = unzipSync(new Uint8Array(await (await zipOf(generation, [image('one'), image('two')])).arrayBuffer()))
  expect(Object.keys(zip).sort()).toEqual(['1 A B tides.webp', '2 A B tides.webp', 'settings.json'])
  expect(strFromU8(zip['2 A B tides.webp']!)).toBe('two')
  expect(JSON.parse(strFromU8(zip['settings.json']!))).toEqual({
    task: 'generate',
    model: 'painter',
    prompt: 'A/B: tides?',
    settings: { seed: 7 },
    madeAt: '2026-11-20T00:00:00.000Z',
  })
})
