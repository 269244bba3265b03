import { defineConfig } from 'vite';
import react from '@vitejs/plugin-react';

export default defineConfig(({ mode }) => ({
  plugins: [react()],
  build: { sourcemap: mode !== 'production', outDir: 'dist' },
  server: { port: 3000, proxy: { '/api': 'http://localhost:8080' } },
  test: { environment: 'jsdom', setupFiles: './src/setup-tests.js' },
}));
