/** The record of an installed model and its folder. Child processes import this file, so it uses no path aliases. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

const MAX_RECORD_BYTES = 100_000
const RECORD = 'model.json'
const DISCARDED = '.removed-'

const MODEL_ID = /^[a-z0-9][a-z0-9._-]{0,99}$/
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,199}$/

const bytes = z.int().min(0)
/** Text of a file that somebody else wrote: one line, bounded. */
const foreignText = (limit: number) =>
  z.string().transform((text) =>
    text
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, limit),
  )

export const ModelFacts = z.object({
  name: foreignText(100).optional(),
  architecture: foreignText(60),
  license: foreignText(100).optional(),
  quantization: foreignText(30),
  parameters: z.number().min(0).optional(),
  /** The context that it was trained with. */
  contextTokens: z.int().min(1),
  /** Memory that a token of context takes in one sequence. */
  cacheBytesPerToken: bytes,
  weightBytes: bytes,
  callsTools: z.boolean(),
  thinks: z.boolean(),
  /** A projector that reads images came with it, or it is a model in ONNX files. */
  seesImages: z.boolean().default(false),
  /** Present for a chat model in ONNX files, in the layout of transformers.js. */
  form: z.literal('onnx').optional(),
  /** Present for a model that turns texts into vectors, and does not chat. */
  embedding: z.object({ dimensions: z.int().min(1).max(65_536) }).optional(),
  /** Present for a model that writes down speech, and does not chat, from ONNX files with the names of `repository-files.ts`. */
  transcription: z.object({ isMultilingual: z.boolean() }).optional(),
})
export type ModelFacts = z.output<typeof ModelFacts>

export const InstalledModel = z.object({
  version: z.literal(1),
  id: z.string().regex(MODEL_ID),
  /** `hf:OWNER/REPO:QUANTIZATION`, a URL or a path. */
  source: z.string().min(1).max(2_000),
  /** The model's page on the hub. */
  page: z.url({ protocol: /^https?$/ }).optional(),
  revision: z.string().max(100).optional(),
  license: foreignText(100).optional(),
  files: z
    .array(
      z.object({
        name: z.string().regex(FILE_NAME),
        sizeBytes: bytes,
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        /** The hub or the operator stated this checksum; otherwise it was computed from what arrived. */
        isVerified: z.boolean(),
      }),
    )
    .min(1)
    .max(1_000),
  /** The one of the files that reads images; not a part of the model. */
  projector: z.string().regex(FILE_NAME).optional(),
  installedAt: z.iso.datetime(),
  facts: ModelFacts,
})
export type InstalledModel = z.output<typeof InstalledModel>

const isModelId = (text: string): boolean => MODEL_ID.test(text)

export const sizeOf = ({ files }: Pick<InstalledModel, 'files'>): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** Returns the file that a runtime opens; it finds the other files of a split model by their names. */
export const modelPathOf = (folder: string, { id, files }: InstalledModel): string =>
  path.join(folder, id, files[0]!.name)

/** Returns where each file of a model is, by its name. */
export const pathsOf = (folder: string, { id, files }: InstalledModel): Record<string, string> =>
  Object.fromEntries(files.map(({ name }) => [name, path.join(folder, id, name)]))

export const projectorPathOf = (folder: string, { id, projector }: InstalledModel): string | undefined =>
  projector === undefined ? undefined : path.join(folder, id, projector)

/** Lists the models whose files are all there, in the order of their installation. */
export async function listInstalled(folder: string): Promise<InstalledModel[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.filter(isModelId).map((id) => findInstalled(folder, id)))
  return found
    .filter((model) => model !== undefined)
    .sort((a, b) => a.installedAt.localeCompare(b.installedAt) || a.id.localeCompare(b.id))
}

export async function findInstalled(folder: string, id: string): Promise<InstalledModel | undefined> {
  if (!isModelId(id)) return undefined
  const model = await readRecord(path.join(folder, id, RECORD))
  if (model?.id !== id) return undefined
  for (const { name, sizeBytes } of model.files) {
    const found = await stat(path.join(folder, id, name)).catch(() => undefined)
    if (found?.size !== sizeBytes) return undefined
  }
  return model
}

async function readRecord(file: string): Promise<InstalledModel | undefined> {
  try {
    if ((await stat(file)).size > MAX_RECORD_BYTES) return undefined
    return InstalledModel.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Identifies the set of installed models: it changes when one is installed or removed, in any process. */
export async function installedVersion(folder: string): Promise<string> {
  const found = await stat(folder, { bigint: true }).catch(() => undefined)
  return String(found?.mtimeNs ?? 0n)
}

/** Removes a model at once from the list, then its files. Returns false where there is none. */
export async function removeInstalled(folder: string, id: string): Promise<boolean> {
  if (!isModelId(id)) return false
  try {
    await rename(path.join(folder, id), path.join(folder, `${DISCARDED}${randomBytes(6).toString('hex')}`))
  } catch {
    return false
  }
  // Those that an interrupted removal left go, too.
  const names = await readdir(folder)
  for (const name of names.filter((one) => one.startsWith(DISCARDED))) {
    await rm(path.join(folder, name), { recursive: true, force: true })
  }
  return true
}

/**
 * Makes a folder with a model's record and files the installed model, replacing another version of it. The folder
 * arrives by rename, so a model is listed whole or not at all.
 */
export async function installFolder(folder: string, prepared: string, id: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await removeInstalled(folder, id)
  await rename(prepared, path.join(folder, id))
}

export const recordPathOf = (folder: string): string => path.join(folder, RECORD)
