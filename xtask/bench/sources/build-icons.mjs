import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { optimize } from 'svgo';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'public/icons' } } });
const source = new URL('../icons/', import.meta.url);

await mkdir(values.out, { recursive: true });
const names = (await readdir(source)).filter((name) => name.endsWith('.svg'));
const symbols = [];
for (const name of names) {
  const text = await readFile(new URL(name, source), 'utf8');
  const { data } = optimize(text, { multipass: true });
  await writeFile(path.join(values.out, name), data);
  symbols.push(data.replace('<svg', `<symbol id="${path.basename(name, '.svg')}"`).replace('</svg>', '</symbol>'));
}
await writeFile(path.join(values.out, 'sprite.svg'), `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`);
console.log(`${names.length} icons`);
