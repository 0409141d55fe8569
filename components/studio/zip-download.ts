import { zipSync } from 'fflate'
import { extensionOf } from '@/components/studio/store'
import { fileNameOf } from '@/lib/browser/save-file'
import type { Generation } from '@/lib/browser/storage/generations'

/** Packs results, numbered, with `settings.json`: what was asked for. */
export async function zipOf(generation: Generation, files: readonly { name: string; data: Blob }[]): Promise<Blob> {
  const packed: Record<string, [Uint8Array, { level: 0 | 6 }]> = {
    'settings.json': [new TextEncoder().encode(JSON.stringify(askedFor(generation), null, 2)), { level: 6 }],
  }
  for (const [at, { name, data }] of files.entries()) {
    const number = files.length > 1 ? `${at + 1} ` : ''
    // Pictures and sound are as small as they get.
    packed[fileNameOf(number + name, extensionOf(data.type))] = [new Uint8Array(await data.arrayBuffer()), { level: 0 }]
  }
  return new Blob([zipSync(packed)], { type: 'application/zip' })
}

function askedFor({ task, modelId, modelName, prompt, settings, inputs, createdAt, content }: Generation) {
  return {
    task,
    model: modelId || modelName,
    prompt: prompt || undefined,
    enhancedPrompt: content?.enhancedPrompt,
    settings,
    madeOf: inputs.length > 0 ? inputs.map(({ name }) => name) : undefined,
    madeAt: new Date(createdAt).toISOString(),
  }
}
