import { zipSync } from 'fflate'
import { fileNameOf } from '@/lib/browser/save-file'
import type { Generation } from '@/lib/browser/storage/generations'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/quicktime': 'mov',
  'text/plain': 'txt',
}

/** @example extensionOf('image/webp') // "webp" */
export function extensionOf(mediaType: string): string {
  const bare = mediaType.split(';')[0] ?? ''
  return EXTENSIONS[bare] ?? /\/(?:x-)?([a-z0-9]{1,8})$/.exec(bare)?.[1] ?? 'bin'
}

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
