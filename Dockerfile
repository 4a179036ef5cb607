# The dashboard on a server: docker build -t tiecore . && docker run -p 8501:8501 -e HOSTS=localhost tiecore
# PORT, ROOT_PATH and HOSTS (names it answers to, separated by commas) come from the environment; docs/deploy.md.
FROM python:3.12-slim
WORKDIR /srv/tiecore
COPY . .
RUN TIECORE_KERNEL=off pip install --no-cache-dir --constraint constraints.txt ".[dashboard]"
RUN useradd --create-home --uid 1000 visitor
USER visitor
ENV PORT=8501 ROOT_PATH="" HOSTS="localhost,127.0.0.1" MALLOC_ARENA_MAX=2 ARROW_DEFAULT_MEMORY_POOL=system
EXPOSE 8501
HEALTHCHECK --start-period=30s CMD python -c "import os, urllib.request as u; u.urlopen('http://127.0.0.1:{PORT}/{ROOT_PATH}/_stcore/health'.format(**os.environ).replace('//_', '/_'))"
CMD ["sh", "-c", "exec streamlit run dashboard/app.py --server.address=0.0.0.0 --server.port=$PORT --server.baseUrlPath=$ROOT_PATH --server.allowedHosts=$HOSTS"]
