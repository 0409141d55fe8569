import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Makes a data folder in which one model of the hub is installed. */
export async function dataDirWith(
  id: string,
  files: Record<string, Buffer>,
  record: { facts: object; projector?: string },
): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'installed-'))
  const folder = path.join(dataDir, 'models', 'hub', id)
  await mkdir(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(folder, name), bytes)
  const common = { architecture: 'llama', quantization: 'F32', contextTokens: 512, callsTools: false, thinks: false }
  const model = {
    version: 1,
    id,
    source: `hf:tiny/${id}:F32`,
    files: Object.entries(files).map(([name, { length }]) => ({
      name,
      sizeBytes: length,
      sha256: '0'.repeat(64),
      isVerified: true,
    })),
    installedAt: new Date().toISOString(),
    ...record,
    facts: { ...common, cacheBytesPerToken: 256, weightBytes: 1_000_000, ...record.facts },
  }
  await writeFile(path.join(folder, 'model.json'), JSON.stringify(model))
  return dataDir
}
