import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plenty } from '@/bench/ui/stage'

/** A file of characters has at most as many; a folder has several files. */
const CHARACTERS_IN_A_FILE = 500

/** Gives a product many models and characters, all of which work. @returns the variables that name the files. */
export async function writePlenty(folder: string, modelsFile: string, plenty: Plenty): Promise<Record<string, string>> {
  const settings = JSON.parse(await readFile(modelsFile, 'utf8')) as { models: { id: string; name: string }[] }
  const [first] = settings.models
  for (let n = 1; first && n < plenty.models; n++) {
    settings.models.push({ ...first, id: `model-${n}`, name: `Model ${n}`, ...NO_DEFAULT })
  }
  const characters = path.join(folder, 'characters')
  await mkdir(characters)
  await writeFile(path.join(folder, 'plenty.json'), JSON.stringify(settings))
  for (let from = 0; from < plenty.characters; from += CHARACTERS_IN_A_FILE) {
    const count = Math.min(CHARACTERS_IN_A_FILE, plenty.characters - from)
    const list = Array.from({ length: count }, (_, at) => character(from + at))
    await writeFile(path.join(characters, `${from}.json`), JSON.stringify({ characters: list }))
  }
  return { MODELS_FILE: path.join(folder, 'plenty.json'), CHARACTERS_FILE: characters }
}

const NO_DEFAULT = { traits: [] }

function character(n: number) {
  return {
    slug: `somebody-${n}`,
    name: `Somebody ${n}`,
    description: `The ${n}th of many, who knows the tides of one harbour and tells of them at length.`,
    prompt: 'You tell of tides.',
    greeting: 'Good morning.',
    tags: ['tides', `harbour-${n % 40}`],
  }
}
