import { existsSync } from 'node:fs'
import { runStep } from '@/scripts/tools/step'

export const isDebianRoot = (): boolean => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs packages of Debian; nothing where another system or user runs this. */
export async function installDebian(name: string, packages: string[]): Promise<void> {
  if (!isDebianRoot()) return
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await runStep('update the package lists', 'apt-get', ['update'], { env })
  if (update.isOk) await runStep(name, 'apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })
}
