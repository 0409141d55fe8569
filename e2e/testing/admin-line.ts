import { connect } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * Runs an admin command as `npm run admin` does, in the server that runs on this data folder: over its socket, without the
 * start of a program. For what a test needs often; the command itself is tested as operators run it (`admin` of bench/product.ts).
 *
 * @returns what it prints
 * @throws Error when the command fails.
 */
export async function command(dataDir: string, ...argv: string[]): Promise<string> {
  const socket = connect(path.join(dataDir, 'admin.sock'))
  socket.write(`${JSON.stringify({ argv })}\n`)
  const { exitCode, output } = JSON.parse(await text(socket)) as { exitCode: number; output: string }
  if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${output}`)
  return output
}
