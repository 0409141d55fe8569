import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

export type Contracts = Record<string, `0x${string}`>

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
}
type Compiler = { compile: (input: string, callbacks: { import: (file: string) => { contents: string } }) => string }

const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without it the code depends on where the sources lie.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
}

/**
 * Compiles the contracts of the sandbox in about five seconds; the result is kept in `contracts.json`.
 *
 * @throws Error with the compiler's messages.
 */
export async function compileContracts(root: string): Promise<Contracts> {
  const folder = path.join(root, 'sandbox', 'contracts')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sol')).sort()
  const sources = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, { content: await readFile(path.join(folder, name), 'utf8') }])),
  )
  // A CommonJS package of 10 MB without types of its own that this compiler would take.
  const { compile } = createRequire(import.meta.url)('solc') as Compiler
  const input = JSON.stringify({ language: 'Solidity', sources, settings: SETTINGS })
  const read = (file: string) => ({ contents: readFileSync(path.join(root, 'node_modules', file), 'utf8') })
  const output = JSON.parse(compile(input, { import: read })) as Output
  const faults = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    names.map((file) => {
      const name = path.basename(file, '.sol')
      return [name, `0x${output.contracts[file]![name]!.evm.bytecode.object}`]
    }),
  )
}

export const contractsFile = (root: string): string => path.join(root, 'sandbox', 'contracts.json')

if (process.argv[1]?.endsWith(path.join('sandbox', 'compile.ts'))) {
  const compiled = await compileContracts(process.cwd())
  await writeFile(contractsFile(process.cwd()), `${JSON.stringify(compiled, null, 2)}\n`)
}
